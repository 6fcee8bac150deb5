/** What a model's reply asks for. Model output is data: every reply becomes one of these, none throws. */
export type ParsedReply = ScriptReply | ProseReply | RejectedReply;

/** A reply that holds exactly one script. */
export interface ScriptReply {
  kind: "script";
  /** The code, trimmed, with LF line ends. */
  code: string;
  /** `true`: bare statements, to run as the body of an async function of `host`; `false`: a whole async function. */
  wrap: boolean;
  /** What the model says the script does, for display. */
  status?: string;
  /** What stood around the script, for the user. */
  prose?: string;
}

/** A reply without a script; without `prose` it was blank. */
export interface ProseReply {
  kind: "none";
  prose?: string;
}

/** A reply of which nothing is run. `feedback` is written for the model: what was wrong, where, what to send. */
export interface RejectedReply {
  kind: "multiple" | "malformed" | "truncated";
  feedback: string;
}

/** What is known about a reply besides its text. */
export interface ReplyOptions {
  /** The provider's finish or stop reason, as the provider spells it. */
  finishReason?: string | undefined;
}
