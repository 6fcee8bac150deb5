import { isPlainObject } from "@promptfold/contract";
import { InvalidMetadataError } from "./errors.ts";
import { explainMetadata, faultPath, type MetadataIssue } from "./explain-metadata.ts";
import { Frontmatter, type InputDeclarations, type InputType, type TokenBudget } from "./metadata-schema.ts";
import { locateField } from "./locate-field.ts";
import type { PromptFile } from "./prompt-file.ts";
import type { Metadata } from "./read-frontmatter.ts";
import type { Value } from "./substitute.ts";

/** One declared input, read. */
export interface InputDeclaration {
  readonly name: string;
  readonly type: InputType;
  readonly required: boolean;
  readonly default?: Value;
  readonly description?: string;
}

/** A prompt file, or its name and metadata alone; then an error has no line. */
export type MetadataSource = Pick<PromptFile, "file" | "metadata"> &
  Partial<Pick<PromptFile, "text" | "frontmatter" | "locate">>;

/** What kind of prompt a file is. */
export type PromptKind = "agent" | "generator" | "prompt";

/** A file with `tools` is an agent prompt; with `schedule` and no `tools` a generator prompt; else a plain one. */
export function promptKind(metadata: Metadata): PromptKind {
  const has = (field: string): boolean => Object.hasOwn(metadata, field) && metadata[field] !== null;
  if (has("tools")) return "agent";
  return has("schedule") ? "generator" : "prompt";
}

/** What is wrong with the types of the metadata that has a meaning. */
export function checkMetadata(metadata: Metadata): MetadataIssue[] {
  const { data, rename } = withoutProto(metadata);
  const { error } = Frontmatter.safeParse(data);
  return explainMetadata(data, error?.issues ?? []).map((issue) => ({
    ...issue,
    path: issue.path.map(rename),
  }));
}

/** A name like any other, which the schema's records pass over. */
const PASSED_OVER = "__proto__";

/** Metadata in which another name stands for that one, and what gives the name back. */
function withoutProto(metadata: Metadata): {
  readonly data: Metadata;
  readonly rename: (part: string | number) => string | number;
} {
  const { input, budget_tokens: budget } = metadata;
  const sections = isPlainObject(budget) ? budget["sections"] : undefined;
  let standIn = "_";
  for (const record of [input, sections])
    if (isPlainObject(record)) while (Object.hasOwn(record, standIn)) standIn += "_";
  const replace = (record: unknown): unknown =>
    isPlainObject(record) && Object.hasOwn(record, PASSED_OVER)
      ? Object.fromEntries(
          Object.entries(record).map(([name, value]) => [name === PASSED_OVER ? standIn : name, value]),
        )
      : record;
  return {
    data: {
      ...metadata,
      ...(input === undefined ? {} : { input: replace(input) }),
      ...(sections === undefined
        ? {}
        : { budget_tokens: { ...(budget as Metadata), sections: replace(sections) } }),
    },
    rename: (part) => (part === standIn ? PASSED_OVER : part),
  };
}

/**
 * The request parameters that a prompt file sets at an agent's birth.
 *
 * @throws InvalidMetadataError
 */
export function requestParameters(prompt: MetadataSource): {
  maxOutputTokens?: number;
  thinkingBudget?: number;
} {
  const { max_output_tokens: maxOutputTokens, thinking_budget: thinkingBudget } = readFields(prompt, [
    "max_output_tokens",
    "thinking_budget",
  ]);
  return {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(thinkingBudget === undefined ? {} : { thinkingBudget }),
  };
}

/**
 * The inputs that a prompt file declares, in order; undefined when it declares none.
 *
 * @throws InvalidMetadataError
 */
export function inputDeclarations(prompt: MetadataSource): InputDeclaration[] | undefined {
  if (!Object.hasOwn(prompt.metadata, "input")) return undefined;
  const { input } = readFields(prompt, ["input"]);
  if (input === undefined) return undefined;
  const entries = isInputList(input) ? input : namedEntries(input);
  return entries.map(({ name, type = "string", required, default: fallback, description }) => ({
    name,
    type,
    required: required ?? fallback === undefined,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(description === undefined ? {} : { description }),
  }));
}

type InputList = Extract<InputDeclarations, readonly unknown[]>;

/** `Array.isArray` alone does not recognise read-only arrays in a union. */
function isInputList(input: InputDeclarations): input is InputList {
  return Array.isArray(input);
}

function namedEntries(input: Exclude<InputDeclarations, InputList>): InputList {
  return Object.entries(input).map(([name, entry]) => ({
    name,
    ...(typeof entry === "string" ? { type: entry } : entry),
  }));
}

function readFields(prompt: MetadataSource, fields: readonly string[]): Frontmatter {
  const { file, metadata, text, frontmatter, locate } = prompt;
  const given = Object.fromEntries(
    fields.filter((field) => Object.hasOwn(metadata, field)).map((field) => [field, metadata[field]]),
  );
  const [issue] = checkMetadata(given);
  if (issue === undefined) return given;
  // A caller may have the metadata alone, without the text that it was written in.
  const place =
    text === undefined || frontmatter === undefined || locate === undefined
      ? undefined
      : locateField({ text, frontmatter, locate }, faultPath(issue));
  throw new InvalidMetadataError(file, issue, place);
}

/** The budgets of a file, read; nothing when it sets none or sets them wrongly, which is for `checkMetadata` to say. */
export function tokenBudget(metadata: Metadata): Exclude<TokenBudget, number> {
  if (!Object.hasOwn(metadata, "budget_tokens")) return {};
  const given = { budget_tokens: metadata["budget_tokens"] };
  if (checkMetadata(given).length > 0) return {};
  // As it was written: what the schema gives lacks names that it passes over.
  const budget = given.budget_tokens as TokenBudget;
  return typeof budget === "number" ? { file: budget } : budget;
}
