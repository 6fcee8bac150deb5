import type { BodyBlock } from "@promptfold/renderer";
import { readJsonFields, withoutFields, writeJsonFields } from "./json-fields.ts";

/**
 * A part of an Anthropic message in the shortest form that its API takes: a tool's result that is one text as that text,
 * and no field that is null. Agents write the long form to put a mark on it, and SDKs write what was not set as null.
 */
export function asShortPart(block: BodyBlock): BodyBlock {
  if (block.isText || block.role === "tool-definition") return block;
  const filled = withoutNulls(block.text);
  const said = filled === block.text ? undefined : jsonText(filled);
  if (said !== undefined) return { ...block, text: JSON.parse(said) as string, isText: true };
  const text = filled.includes('"type":"tool_result"') ? asShortResult(filled) : filled;
  return text === block.text ? block : { ...block, text };
}

function asShortResult(json: string): string {
  const fields = json.includes('"content":[') ? readJsonFields(json) : undefined;
  const content = fields?.get("content");
  const text = content?.startsWith("[") === true ? jsonText(withoutNulls(content.slice(1, -1))) : undefined;
  const short =
    fields === undefined || text === undefined ? json : writeJsonFields(fields.set("content", text));
  return withoutFields(short, isDefault);
}

/** What says the same of a result as nothing does. */
function isDefault(name: string, value: string): boolean {
  return name === "is_error" ? value === "false" : name === "content" && (value === '""' || value === "[]");
}

function withoutNulls(json: string): string {
  return withoutFields(json, (_, value) => value === "null");
}

/** The text of a part that is nothing but a text, as JSON. */
function jsonText(part: string): string | undefined {
  const fields = readJsonFields(part);
  const text = fields?.get("text");
  const isPlain = fields?.size === 2 && fields.get("type") === '"text"' && text?.startsWith('"') === true;
  return isPlain ? text : undefined;
}
