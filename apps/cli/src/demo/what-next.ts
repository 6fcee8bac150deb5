import { DEFAULT_JOURNAL, MEMORY_JOURNAL, shownUrl } from "../input/journal-input.ts";
import type { Colors } from "../terminal/colors.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { heading } from "../text/layout.ts";

/** The agent that the demonstration leaves behind. */
export interface LeftAgent {
  /** The journal's URL. */
  readonly url: string;
  readonly stream: string;
  /** Where its requests were opened, in order. */
  readonly requests: readonly number[];
}

/** Where the journal is kept, and the commands to try on it: none on a journal that is gone with this process. */
export function whatNext({ url, stream, requests }: LeftAgent, colors: Colors): string[] {
  if (url === MEMORY_JOURNAL) {
    return [
      heading("Where it is kept", colors),
      `Nowhere: a journal in memory is gone with this run. With --journal ${DEFAULT_JOURNAL} it stays, to be looked into.`,
    ];
  }
  const shown = shownUrl(url);
  const place = `--journal ${shellWord(shown)} --stream ${stream}`;
  const [first = 1, second = first] = requests;
  const commands: readonly [command: string, meaning: string][] = [
    [`npx promptfold request ${place} --at ${first}`, "a past request, whole"],
    [`npx promptfold diff ${place} --from ${first} --to ${second}`, "what changed, and where the cache ends"],
    [`npx promptfold rules ${place}`, "the sections in force, and since when"],
    [`npx promptfold state ${place}`, "the agent, folded from its events"],
    [`npx promptfold chat ${place}`, "go on talking with this agent"],
  ];
  const kind = url.startsWith("sqlite:") ? "an SQLite file" : "a PostgreSQL database";
  const password = shown === url ? "" : " Put the password in where *** stands.";
  return [
    heading("What to try next", colors),
    `The journal is ${shown}, ${kind} that keeps every run.${password}`,
    ...commands.map(([command, meaning]) => `\n${colors.dim(`# ${meaning}`)}\n${colors.cyan(command)}`),
  ];
}
