import { birthEvents } from "@promptfold/agent-llm-request";
import type { Journal } from "@promptfold/journal";
import { readDefaultPrompt } from "./read-config-prompts.ts";

/** Gives birth to an agent with the default prompt, in one batch from inside. */
export async function appendDefaultBirth(
  journal: Journal,
  stream: string,
  { processor = "promptfold", model }: { readonly processor?: string; readonly model: string },
): Promise<void> {
  const { name, sections, parameters } = readDefaultPrompt();
  const events = birthEvents({ promptName: name, sections, parameters, config: { model } });
  await journal.as({ processor, trust: "inside" }).append(stream, events);
}
