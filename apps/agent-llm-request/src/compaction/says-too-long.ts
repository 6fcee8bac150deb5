/** How providers word that a request does not fit into a model's context. */
const WORDINGS: readonly RegExp[] = [
  /context[ _-]?(?:length|window|limit)/i,
  /(?:prompt|input|request|conversation)(?: text)?(?: is)? too (?:long|large)/i,
  /(?:input|prompt) (?:token count|length|tokens?)\b.{0,60}exceed/i,
  /exceed.{0,60}(?:maximum|allowed) (?:number of )?(?:input )?tokens/i,
  /maximum (?:input|prompt) length|reduce the length/i,
];

/** Whether a provider's error says that the request was too long. Others may mean it and word it otherwise. */
export function saysTooLong(reason: string): boolean {
  return WORDINGS.some((wording) => wording.test(reason));
}
