/**
 * What each provider's API accepts, written from its documentation and its errors, and on purpose without any code or
 * table of the mappings that it judges. Each function gives the faults of a body; none for a legal one.
 */

type Json = Record<string, unknown>;

/** One piece of text in a body, as the API orders them: its role there, and whether a cache mark stands on it. */
export interface WirePiece {
  readonly role: string;
  readonly text: string;
  readonly marked: boolean;
  /** Whether it stands in a field of its own, before all messages. */
  readonly apart: boolean;
}

/** A body taken apart, with every rule of its API that it breaks. */
export interface JudgedBody {
  readonly pieces: readonly WirePiece[];
  readonly faults: readonly string[];
}

class Judge {
  readonly faults: string[] = [];
  readonly pieces: WirePiece[] = [];

  fault(where: string, what: string): void {
    this.faults.push(`${where}: ${what}`);
  }

  only(where: string, object: Json, allowed: readonly string[]): void {
    for (const key of Object.keys(object))
      if (!allowed.includes(key)) this.fault(where, `unknown field ${key}`);
  }

  text(where: string, value: unknown): string {
    if (typeof value !== "string") {
      this.fault(where, "is no text");
      return "";
    }
    // Python's idea of white space, which the servers go by, and JavaScript's.
    if (/^[\s\u001c-\u001f\u0085]*$/.test(value)) this.fault(where, "is blank");
    if (/\p{Surrogate}/u.test(value)) this.fault(where, "holds half a character");
    return value;
  }

  list(where: string, value: unknown): Json[] {
    if (!Array.isArray(value) || value.length === 0) {
      this.fault(where, "is no list with something in it");
      return [];
    }
    return value as Json[];
  }

  count(where: string, value: unknown, isRequired: boolean): void {
    if (value === undefined && !isRequired) return;
    if (!Number.isSafeInteger(value) || (value as number) < 1) this.fault(where, "is no count of tokens");
  }

  piece(role: string, text: string, marked: boolean, apart = false): void {
    this.pieces.push({ role, text, marked, apart });
  }

  /** What the assistant said is a plain string, which takes no breakpoint; everything else is a list of texts. */
  openAiContent(where: string, role: string, content: unknown, type: string): void {
    if (role === "assistant") {
      this.piece(role, this.text(where, content), false);
      return;
    }
    if (!["system", "developer", "user"].includes(role)) this.fault(where, `role ${role} is not known here`);
    for (const part of this.list(where, content)) {
      this.only(where, part, ["type", "text", "prompt_cache_breakpoint"]);
      if (part["type"] !== type) this.fault(where, `is no ${type}`);
      const breakpoint = part["prompt_cache_breakpoint"] as Json | undefined;
      if (breakpoint !== undefined && breakpoint["mode"] !== "explicit")
        this.fault(where, "is no breakpoint");
      this.piece(role, this.text(where, part["text"]), breakpoint !== undefined);
    }
  }

  /** Four writes a request; only models that match at breakpoints take them, and then nothing is cached without. */
  breakpoints(body: Json): void {
    const marks = this.pieces.filter(({ marked }) => marked).length;
    if (marks > 4) this.fault("body", `${marks} breakpoints`);
    const matchesAtThem = /gpt-(5\.[6-9]|[6-9])/.test(String(body["model"]));
    if (matchesAtThem !== marks > 0) this.fault("model", `${marks} breakpoints are not what it takes`);
    if ((body["prompt_cache_options"] !== undefined) !== marks > 0)
      this.fault("prompt_cache_options", "breakpoints and their mode do not go together");
  }

  turns(roles: readonly string[], user: string, assistant: string, alternate: boolean): void {
    if (roles[0] !== user) this.fault("messages", `first role is ${roles[0] ?? "none"}`);
    if (roles.at(-1) !== user) this.fault("messages", `last role is ${roles.at(-1) ?? "none"}`);
    roles.forEach((role, index) => {
      if (role !== user && role !== assistant)
        this.fault(`messages[${index}]`, `role ${role} is not known here`);
      if (alternate && role === roles[index - 1])
        this.fault(`messages[${index}]`, `role ${role} comes twice`);
    });
  }
}

function chat(body: Json, roles: readonly string[], fields: readonly string[]): Judge {
  const judge = new Judge();
  judge.only("body", body, fields);
  judge.text("model", body["model"]);
  judge.list("messages", body["messages"]).forEach((message, index) => {
    const where = `messages[${index}]`;
    judge.only(where, message, ["role", "content"]);
    const role = String(message["role"]);
    if (!roles.includes(role)) judge.fault(where, `role ${role} is not known here`);
    judge.piece(role, judge.text(where, message["content"]), false);
  });
  return judge;
}

function openAiChat(body: Json): JudgedBody {
  const judge = chat(
    body,
    ["system", "developer", "user", "assistant"],
    ["model", "max_completion_tokens", "prompt_cache_key", "messages"],
  );
  judge.count("max_completion_tokens", body["max_completion_tokens"], false);
  return judge;
}

function openAiChatParts(body: Json): JudgedBody {
  const judge = new Judge();
  const fields = ["model", "max_completion_tokens", "prompt_cache_key", "prompt_cache_options", "messages"];
  judge.only("body", body, fields);
  judge.text("model", body["model"]);
  judge.count("max_completion_tokens", body["max_completion_tokens"], false);
  judge.list("messages", body["messages"]).forEach((message, index) => {
    const where = `messages[${index}]`;
    judge.only(where, message, ["role", "content"]);
    judge.openAiContent(where, String(message["role"]), message["content"], "text");
  });
  judge.breakpoints(body);
  return judge;
}

function openAiCompatible(body: Json): JudgedBody {
  const judge = chat(body, ["system", "user", "assistant"], ["model", "max_tokens", "messages"]);
  judge.count("max_tokens", body["max_tokens"], false);
  const roles = judge.pieces.map(({ role }) => role);
  if (roles.lastIndexOf("system") !== 0) judge.fault("messages", "not one system message in the first place");
  judge.turns(roles.slice(1), "user", "assistant", false);
  return judge;
}

function openAiResponses(body: Json): JudgedBody {
  const judge = new Judge();
  const fields = ["model", "max_output_tokens", "prompt_cache_key", "prompt_cache_options", "input"];
  judge.only("body", body, fields);
  judge.count("max_output_tokens", body["max_output_tokens"], false);
  judge.list("input", body["input"]).forEach((item, index) => {
    const where = `input[${index}]`;
    judge.only(where, item, ["type", "role", "content"]);
    judge.openAiContent(where, String(item["role"]), item["content"], "input_text");
  });
  judge.breakpoints(body);
  return judge;
}

const ttlRank = new Map<unknown, number>([
  ["1h", 2],
  ["5m", 1],
  [undefined, 1],
]);

function anthropic(body: Json): JudgedBody {
  const judge = new Judge();
  judge.only("body", body, ["model", "max_tokens", "thinking", "system", "messages"]);
  judge.count("max_tokens", body["max_tokens"], true);
  const thinking = body["thinking"] as { type: string; budget_tokens?: number } | undefined;
  const budget = thinking?.budget_tokens;
  if (budget !== undefined && (budget < 1024 || budget >= Number(body["max_tokens"]))) {
    judge.fault("thinking", `a budget of ${budget} tokens is not legal`);
  }
  const ttls: unknown[] = [];
  const block = (where: string, role: string, part: Json, apart: boolean): void => {
    judge.only(where, part, ["type", "text", "cache_control"]);
    if (part["type"] !== "text") judge.fault(where, "is no text block");
    const mark = part["cache_control"] as Json | undefined;
    if (mark !== undefined) ttls.push(mark["ttl"]);
    judge.piece(role, judge.text(where, part["text"]), mark !== undefined, apart);
  };
  judge.list("system", body["system"]).forEach((part, index) => {
    block(`system[${index}]`, "system", part, true);
  });
  const messages = judge.list("messages", body["messages"]);
  messages.forEach((message, index) => {
    judge.only(`messages[${index}]`, message, ["role", "content"]);
    for (const part of judge.list(`messages[${index}]`, message["content"])) {
      block(`messages[${index}]`, String(message["role"]), part, false);
    }
  });
  const roles = messages.map(({ role }) => String(role));
  judge.turns(roles, "user", "assistant", true);
  if (ttls.length > 4) judge.fault("cache_control", `${ttls.length} marks`);
  ttls.forEach((ttl, index) => {
    const before = index === 0 ? 2 : (ttlRank.get(ttls[index - 1]) ?? 0);
    if ((ttlRank.get(ttl) ?? 3) > before)
      judge.fault("cache_control", "a longer time to live comes after a shorter one");
  });
  return judge;
}

function gemini(body: Json): JudgedBody {
  const judge = new Judge();
  judge.only("body", body, ["systemInstruction", "generationConfig", "contents"]);
  const system = body["systemInstruction"] as Json;
  for (const part of judge.list("systemInstruction", system["parts"])) {
    judge.only("systemInstruction", part, ["text"]);
    judge.piece("system", judge.text("systemInstruction", part["text"]), false, true);
  }
  const contents = judge.list("contents", body["contents"]);
  contents.forEach((content, index) => {
    judge.only(`contents[${index}]`, content, ["role", "parts"]);
    for (const part of judge.list(`contents[${index}]`, content["parts"])) {
      judge.only(`contents[${index}]`, part, ["text"]);
      judge.piece(String(content["role"]), judge.text(`contents[${index}]`, part["text"]), false);
    }
  });
  judge.turns(
    contents.map(({ role }) => String(role)),
    "user",
    "model",
    true,
  );
  return judge;
}

function aiSdk(body: Json): JudgedBody {
  const judge = new Judge();
  judge.only("body", body, ["model", "maxOutputTokens", "system", "messages"]);
  const isMarked = (part: Json): boolean => part["providerOptions"] !== undefined;
  judge.list("system", body["system"]).forEach((message, index) => {
    judge.only(`system[${index}]`, message, ["role", "content", "providerOptions"]);
    if (message["role"] !== "system") judge.fault(`system[${index}]`, "is no system message");
    judge.piece("system", judge.text(`system[${index}]`, message["content"]), isMarked(message), true);
  });
  const messages = judge.list("messages", body["messages"]);
  messages.forEach((message, index) => {
    judge.only(`messages[${index}]`, message, ["role", "content"]);
    for (const part of judge.list(`messages[${index}]`, message["content"])) {
      judge.only(`messages[${index}]`, part, ["type", "text", "providerOptions"]);
      judge.piece(String(message["role"]), judge.text(`messages[${index}]`, part["text"]), isMarked(part));
    }
  });
  judge.turns(
    messages.map(({ role }) => String(role)),
    "user",
    "assistant",
    false,
  );
  if (judge.pieces.filter(({ marked }) => marked).length > 4)
    judge.fault("providerOptions", "more than 4 marks");
  return judge;
}

/** The judge of each API, by the mapping that writes for it. */
export const judges: Readonly<Record<string, (body: Json) => JudgedBody>> = {
  "openai-chat@1": openAiChat,
  "openai-chat@2": openAiChatParts,
  "openai-compatible@1": openAiCompatible,
  "openai-responses@1": openAiResponses,
  "anthropic-messages@1": anthropic,
  "gemini@1": gemini,
  "ai-sdk@1": aiSdk,
};

/**
 * Reads one text of an API that lacks roles, by the rule that the protocol states: a first line that is a label names
 * the role; each opening of a label in the rest, and what may be the start of one at its end, has one backslash more
 * than the text it stands for.
 */
export function readByProtocol(role: string, text: string): { role: string; text: string } {
  if (role !== "user") return { role: role === "model" ? "assistant" : role, text };
  const end = text.indexOf("\n");
  const firstLine = end === -1 ? text : text.slice(0, end);
  const labelled = ["system", "developer", "assistant"].find(
    (name) => firstLine === `[[promptfold:${name}]]`,
  );
  const rest = labelled === undefined ? text : text.slice(end + 1);
  const pieces = rest.split("[[promptfold");
  const plain = pieces.map((piece, index) => {
    const backslashes = /^\\*/.exec(piece)?.[0].length ?? 0;
    return index > 0 && piece[backslashes] === ":" ? piece.slice(1) : piece;
  });
  return { role: labelled ?? "user", text: withoutLastBackslash(plain.join("[[promptfold")) };
}

/** Takes back the backslash after the start of a label that a text ends in. */
function withoutLastBackslash(text: string): string {
  if (!text.endsWith("\\")) return text;
  let end = text.length;
  while (text[end - 1] === "\\") end--;
  const opening = "[[promptfold";
  const isStart = Array.from(opening, (_, index) => opening.slice(0, index + 1)).some((start) =>
    text.slice(0, end).endsWith(start),
  );
  return isStart ? text.slice(0, -1) : text;
}
