import type { ModelAdapter } from "@promptfold/agent-llm-request";
import { parseCodemodeStream } from "@promptfold/codemode";
import { printable } from "@promptfold/contract";
import { colorsFor } from "../terminal/colors.ts";

/** A model whose replies are shown while they come in. */
export interface ShownReplies {
  readonly adapter: ModelAdapter;
  /** The texts that were shown whole. */
  readonly shown: ReadonlySet<string>;
}

/** Wraps a model so that the prose of a reply appears as it streams in; of a script only its status is told, later. */
export function showReplies(model: ModelAdapter): ShownReplies {
  const shown = new Set<string>();
  const { green } = colorsFor(process.stdout);
  const adapter: ModelAdapter = {
    ...model,
    async call(call) {
      let text = "";
      let written = 0;
      const onText = (piece: string): void => {
        call.onText(piece);
        text += piece;
        const prose = printable(parseCodemodeStream(text).prose);
        if (prose.length <= written) return;
        if (written === 0) process.stdout.write(green("agent › "));
        process.stdout.write(prose.slice(written));
        written = prose.length;
      };
      const reply = await model.call({ ...call, onText });
      if (written > 0) process.stdout.write("\n");
      shown.add(reply.text);
      return reply;
    },
  };
  return { adapter, shown };
}
