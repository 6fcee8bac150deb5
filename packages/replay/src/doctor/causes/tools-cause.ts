import type { ReadBody } from "@promptfold/renderer";
import { isTool, toolDefinitions } from "../bodies/body-content.ts";
import type { ExplainedCause } from "./explained-cause.ts";
import { jsonSpelling } from "./json-spelling.ts";

/**
 * Why two bodies' tools differ; `varying` is what differs in the first two definitions that do, where it is no part of
 * a definition that anybody wrote.
 */
export function toolsCause(
  previous: ReadBody,
  next: ReadBody,
  varying: "clock" | "id" | undefined,
): ExplainedCause {
  const [before, after] = [previous, next].map(({ blocks }) =>
    blocks.filter(isTool).flatMap(({ text }) => toolDefinitions(text)),
  );
  const [old, current] = [new Set(before), new Set(after)];
  const gone = [...old].filter((text) => !current.has(text));
  const added = [...current].filter((text) => !old.has(text));
  if (gone.length === 0 && added.length === 0) {
    return { cause: "tools-reordered", detail: "the same tools come in another order" };
  }
  const [goneNames, addedNames] = [gone, added].map((texts) => texts.map(toolName));
  const changed = goneNames?.filter((name) => addedNames?.includes(name)) ?? [];
  if (changed.length === gone.length && changed.length === added.length) {
    const spelling = commonSpelling(gone, added);
    if (spelling !== undefined) {
      return {
        cause: "json-reordered",
        detail: `tools are the same JSON ${spelling}: ${listNames(changed)}`,
      };
    }
    if (varying === "clock") {
      const detail = `a date or a time in the definition of tools is another one: ${listNames(changed)}`;
      return { cause: "clock", detail };
    }
  }
  const parts = [
    ["changed", changed],
    ["removed", goneNames?.filter((name) => !changed.includes(name)) ?? []],
    ["added", addedNames?.filter((name) => !changed.includes(name)) ?? []],
  ] as const;
  const detail = parts
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what}: ${listNames(names)}`);
  return { cause: "tools-changed", detail: `tools ${detail.join("; ")}` };
}

/** How all of some tools are the same JSON, written differently; undefined when one of them is not. */
function commonSpelling(gone: readonly string[], added: readonly string[]): string | undefined {
  const byName = new Map(added.map((text) => [toolName(text), text]));
  const spellings = gone.map((text) => jsonSpelling(text, byName.get(toolName(text))));
  return spellings.includes(undefined) ? undefined : spellings[0];
}

function listNames(names: readonly string[]): string {
  return `${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""}`;
}

function toolName(text: string): string {
  return /"name":"([^"]{1,80})"/.exec(text)?.[1] ?? text.slice(0, 40);
}
