import {
  DEFAULT_OPENAI_MODEL,
  type ModelAdapter,
  openAiChatModel,
  scriptedModel,
  UNNAMED_MODEL,
} from "@promptfold/agent-llm-request";
import { loadTokenCounter } from "@promptfold/check";
import { UsageError } from "../errors.ts";
import { scriptedReply } from "./scripted-reply.ts";

/** The name that asks for the scripted model. */
const SCRIPTED = "scripted";

/** A model, and why it is this one. */
export interface ChosenModel {
  readonly adapter: ModelAdapter;
  readonly isScripted: boolean;
  /** The name to write into an agent's configuration; `default` leaves it to the process that opens a request. */
  readonly name: string;
  /** For a person: which model, and why. */
  readonly reason: string;
}

/**
 * Chooses the model: the one asked for; else, with a key, the one that PROMPTFOLD_MODEL names; else the scripted one.
 * Where `prefersScripted`, a key alone is no reason to spend money.
 *
 * @throws UsageError when a real model is asked for and no key is set
 */
export async function chooseModel(
  asked: string | undefined,
  { prefersScripted = false }: { readonly prefersScripted?: boolean } = {},
): Promise<ChosenModel> {
  const { OPENAI_API_KEY: key = "", OPENAI_BASE_URL: baseUrl, PROMPTFOLD_MODEL: preferred } = process.env;
  if (asked !== undefined && asked !== SCRIPTED) {
    if (key === "") {
      throw new UsageError(`--model ${asked} needs a key: set OPENAI_API_KEY, or leave --model out`);
    }
    return real(asked);
  }
  if (asked === SCRIPTED) return scripted("as asked");
  if (key === "") return scripted("OPENAI_API_KEY is not set");
  if (prefersScripted) return scripted("name another with --model, which calls it with your key");
  return real(preferred === undefined || preferred === "" ? DEFAULT_OPENAI_MODEL : preferred);

  function real(name: string): ChosenModel {
    const adapter = openAiChatModel({ apiKey: key, baseUrl: baseUrl || undefined, defaultModel: name });
    return { adapter, isScripted: false, name, reason: `${name} (${adapter.name})` };
  }
}

async function scripted(why: string): Promise<ChosenModel> {
  const countTokens = await loadTokenCounter();
  const adapter = scriptedModel((body) => scriptedReply(body, countTokens), SCRIPTED);
  return { adapter, isScripted: true, name: UNNAMED_MODEL, reason: `scripted (${why})` };
}
