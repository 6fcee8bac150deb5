import { defineMapping } from "../define-mapping.ts";
import type { Mapping } from "../mapping.ts";
import type { SeparateLayout } from "../mapping-definition.ts";
import { positiveInteger } from "../parameters.ts";
import { twoRolePlacement } from "./two-role-placement.ts";

/** One message of a server that speaks Chat Completions without the `developer` role. */
export interface OpenAiCompatibleMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** A Chat Completions body with only what servers such as Ollama, vLLM and llama.cpp all take. */
export interface OpenAiCompatibleBody {
  readonly model: string;
  readonly max_tokens?: number;
  readonly messages: OpenAiCompatibleMessage[];
}

const layout: SeparateLayout<OpenAiCompatibleBody, OpenAiCompatibleMessage> = {
  merges: false,
  head({ model, parameters }) {
    const maxTokens = positiveInteger(parameters["maxOutputTokens"]);
    return { model, ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }), messages: [] };
  },
  fill: (head, messages) => ({ ...head, messages }),
  // The rules let no other role through.
  entry: (role, content) => ({ role: role as OpenAiCompatibleMessage["role"], content }),
};

/**
 * Servers that speak OpenAI's Chat Completions for open-weight models: their chat templates take one system message,
 * in the first place, and no `developer`. Protocol and standing document are that message; later system and developer
 * messages are labelled user messages, and so is an assistant text that would come first. Messages are not merged,
 * since one that was sent may not grow: a template that insists on strict turns needs a server that joins neighbours.
 */
export const openAiCompatible: Mapping<OpenAiCompatibleBody> = defineMapping<OpenAiCompatibleBody>({
  id: "openai-compatible@1",
  rules: { ...twoRolePlacement, standing: "joined" },
  layout,
  limits: () => undefined,
  explain: () => [
    "One system message comes first: the protocol and the standing document.",
    "Later system and developer messages are user messages that begin with a label, where they stand.",
    "No cache marks: these servers reuse the longest prefix they remember by themselves.",
  ],
});
