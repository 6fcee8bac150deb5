import { readBody } from "@promptfold/renderer";
import type { ReplayedRequest } from "@promptfold/replay";

/** Something of a request beside its messages that differs between two; `undefined` where it is not set. */
export interface ChangedSetting {
  readonly name: string;
  readonly previous: unknown;
  readonly next: unknown;
}

/** What differs between two requests beside what the model reads: the mapping, the model, and the bodies' other fields. */
export function changedSettings(earlier: ReplayedRequest, later: ReplayedRequest): ChangedSetting[] {
  const before = settingsOf(earlier);
  const after = settingsOf(later);
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const [previous, next] = [before.get(name), after.get(name)];
    return previous === next ? [] : [{ name, previous: parsed(previous), next: parsed(next) }];
  });
}

/** Settings as JSON. Some APIs name the model in the URL and not in the body. */
function settingsOf({ mapping, model, body }: ReplayedRequest): ReadonlyMap<string, string> {
  return new Map([
    ["mapping", JSON.stringify(mapping)],
    ["model", JSON.stringify(model)],
    ...readBody(body).settings,
  ]);
}

function parsed(json: string | undefined): unknown {
  return json === undefined ? undefined : JSON.parse(json);
}
