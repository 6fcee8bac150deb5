import { join } from "node:path";
import type { JournalReader } from "@promptfold/journal";
import type { Host } from "@promptfold/sandbox";
import { listPrompts, readPrompt } from "@promptfold/templating/node";
import { defaultConfigFolder } from "./read-config-prompts.ts";

const EVENTS_PER_CALL = 500;

/**
 * What a script of an agent that this command runs can reach: the agent's own stream and the installed prompts, both
 * for reading only.
 */
export function agentHost(journal: JournalReader, stream: string): Host {
  const baseDir = join(defaultConfigFolder(), "prompts");
  return {
    stream: {
      /** Up to 500 events of this agent's stream, after an offset. */
      events: async (options: unknown) => {
        const after = numberIn(options, "after") ?? 0;
        for await (const page of journal.read(stream, { after, pageSize: EVENTS_PER_CALL })) {
          return page.map(({ offset, type, createdAt, source, payload }) => ({
            offset,
            type,
            createdAt,
            by: source?.processor ?? null,
            payload,
          }));
        }
        return [];
      },
    },
    prompts: {
      /** Name, kind and title of every installed prompt. */
      list: () =>
        listPrompts(baseDir).prompts.map(({ name, kind, metadata }) => ({
          name,
          kind,
          title: metadata["title"] ?? null,
        })),
      /** The text of one of them, as its author wrote it. */
      read: (name: unknown) => readPrompt(String(name), { baseDir }).body,
    },
  };
}

function numberIn(options: unknown, name: string): number | undefined {
  if (typeof options !== "object" || options === null) return undefined;
  const value = (options as Record<string, unknown>)[name];
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
}
