/**
 * The fields of a JSON object that `JSON.stringify` wrote, each as it stands there: so that what stays is not parsed,
 * which rounds long numbers, and not written again. Undefined for any other text. Linear in its length.
 */
export function readJsonFields(json: string): Map<string, string> | undefined {
  if (!json.startsWith("{") || !json.endsWith("}")) return undefined;
  const fields = new Map<string, string>();
  for (let at = 1; at < json.length - 1;) {
    if (json.charAt(at) !== '"') return undefined;
    const colon = endOfString(json, at);
    const end = endOfValue(json, colon + 1);
    if (json.charAt(colon) !== ":" || end === undefined) return undefined;
    const name = readName(json.slice(at, colon));
    if (name === undefined) return undefined;
    fields.set(name, json.slice(colon + 1, end));
    if (json.charAt(end) === "}") return end === json.length - 1 ? fields : undefined;
    at = end + 1;
  }
  return json === "{}" ? fields : undefined;
}

/** Fields as the JSON of an object. */
export function writeJsonFields(fields: ReadonlyMap<string, string>): string {
  return `{${[...fields].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
}

/** The JSON of an object without the fields that are to be left out, of those that are empty, null or false. */
export function withoutFields(json: string, isLeftOut: (name: string, value: string) => boolean): string {
  if (!/:(?:null|false|""|\[\]|\{\})[,}]/.test(json)) return json;
  const fields = readJsonFields(json);
  if (fields === undefined) return json;
  const kept = [...fields].filter(([name, value]) => !isLeftOut(name, value));
  return kept.length === fields.size ? json : writeJsonFields(new Map(kept));
}

/** A field's name; undefined of a text that only looks like JSON. */
function readName(json: string): string | undefined {
  try {
    return JSON.parse(json) as string;
  } catch {
    return undefined;
  }
}

/** The place after a string that begins at `start`. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charAt(at) !== '"') at += json.charAt(at) === "\\" ? 2 : 1;
  return at + 1;
}

/** The place of the comma or the brace after a value. */
function endOfValue(json: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const character = json.charAt(at);
    if (character === '"') at = endOfString(json, at) - 1;
    else if (depth === 0 && (character === "," || character === "}")) return at;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
  }
  return undefined;
}
