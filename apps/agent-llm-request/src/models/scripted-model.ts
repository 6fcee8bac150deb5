import type { ModelAdapter, ModelReply } from "./model.ts";

/** Says what to reply to a request, given its body. */
export type ReplyScript = (body: unknown) => ModelReply;

/**
 * A model that needs no key and no network: it replies what a function says. Requests of agents that name no model record
 * `name`.
 */
export function scriptedModel(reply: ReplyScript, name = "scripted"): ModelAdapter {
  return {
    name,
    defaultModel: name,
    call({ body, onText, signal }) {
      if (signal.aborted) return Promise.reject(new Error("the call was aborted before it began"));
      const answer = reply(body);
      onText(answer.text);
      return Promise.resolve(answer);
    },
  };
}
