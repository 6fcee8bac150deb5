import type { z } from "zod";
import { describeValue } from "./describe-value.ts";
import { meantBoolean, meantNumber, meantType } from "./meant-value.ts";
import { nearestName } from "./nearest-name.ts";

/** A field of the metadata that has a meaning and the wrong type. */
export interface MetadataIssue {
  /** Where in the metadata; begins with the field. */
  readonly path: readonly (string | number)[];
  /** What follows the path in a sentence: what it must be, what it is, and what to write. */
  readonly message: string;
  /** The name at fault, when that is one in the object at the path. */
  readonly member?: string | undefined;
}

/** What stands at a path of the metadata: what it must be, and how to write it. */
interface Wanted {
  readonly path: RegExp;
  readonly must: string;
  readonly example: string;
  /** The names that an object may have there. */
  readonly names?: readonly string[];
}

const ABOVE_ZERO = "a whole number above 0";
const TYPES = "string, number, integer or boolean";
const TYPE_NAMES = ["string", "number", "integer", "boolean"];
const NAME = "a name of letters, digits and underscores that begins with no digit";

const wanted: readonly Wanted[] = [
  { path: /^title$/, must: "text", example: "title: A name" },
  { path: /^color$/, must: "text", example: 'color: "#0a7"' },
  { path: /^schedule$/, must: "text", example: "schedule: daily" },
  { path: /^tier$/, must: "a whole number or text", example: "tier: 2" },
  { path: /^tools$/, must: "text or a list of texts", example: "tools: [host]" },
  { path: /^tools\.\d+$/, must: "text", example: "tools: [host]" },
  { path: /^max_output_tokens$/, must: ABOVE_ZERO, example: "max_output_tokens: 2000" },
  { path: /^thinking_budget$/, must: "a whole number from 0", example: "thinking_budget: 1024" },
  {
    path: /^budget_tokens$/,
    must: `${ABOVE_ZERO}, or such numbers for file, section and sections`,
    example: "budget_tokens: 800",
    names: ["file", "section", "sections"],
  },
  { path: /^budget_tokens\.file$/, must: ABOVE_ZERO, example: "file: 800" },
  { path: /^budget_tokens\.section$/, must: ABOVE_ZERO, example: "section: 200" },
  {
    path: /^budget_tokens\.sections$/,
    must: "section keys with numbers",
    example: "sections: { style: 100 }",
  },
  { path: /^budget_tokens\.sections\./, must: ABOVE_ZERO, example: "sections: { style: 100 }" },
  { path: /^input$/, must: "a list of inputs, or names with types", example: "input: { topic: string }" },
  {
    path: /^input\.[^.]+\.type$/,
    must: TYPES,
    example: "type: string",
  },
  { path: /^input\.[^.]+\.name$/, must: NAME, example: "name: topic" },
  { path: /^input\.[^.]+\.required$/, must: "true or false", example: "required: false" },
  { path: /^input\.[^.]+\.default$/, must: "text, a finite number, true or false", example: "default: none" },
  { path: /^input\.[^.]+\.description$/, must: "text", example: "description: What to find out." },
  {
    path: /^input\.\d+$/,
    must: "an input with a name",
    example: "{ name: topic, type: string }",
    names: ["name", "type", "required", "default", "description"],
  },
  {
    path: /^input\.[^.]+$/,
    must: `a type (${TYPES}) or an entry with one`,
    example: "topic: string",
    names: ["type", "required", "default", "description"],
  },
];

/** The way to what is at fault, for whoever looks for its place. */
export function faultPath({ path, member }: MetadataIssue): readonly (string | number)[] {
  return member === undefined ? path : [...path, member];
}

/** Says in an author's words what a schema found wrong with metadata: every fault, each with what to write instead. */
export function explainMetadata(
  metadata: Readonly<Record<string, unknown>>,
  issues: readonly z.core.$ZodIssue[],
): MetadataIssue[] {
  return issues.flatMap((issue) => leaves(issue)).map((issue) => explain(metadata, issue));
}

/** What a schema found wrong with a `journal.json`, whose one meaningful field is `identity`. */
export function explainConfig(config: unknown): string {
  const isObject = typeof config === "object" && config !== null && !Array.isArray(config);
  const value = isObject ? (config as Record<string, unknown>)["identity"] : config;
  const what = isObject ? "identity" : "the file";
  return `${what} must be an object, and is ${describeValue(value)}; write {"identity": {"name": "Ada"}}`;
}

/** The faults of the form that was most likely meant, where there are several: the one that was read furthest. */
function leaves(issue: z.core.$ZodIssue, above: readonly PropertyKey[] = []): z.core.$ZodIssue[] {
  const path = [...above, ...issue.path];
  if (issue.code !== "invalid_union") return [{ ...issue, path }];
  const forms = issue.errors.map((issues) => issues.flatMap((inner) => leaves(inner, path)));
  const entered = forms.filter((form) => form.every((inner) => reached(inner) > path.length));
  return entered.length === 1 ? (entered[0] ?? []) : [{ ...issue, path }];
}

/** How far into the data a fault lies; a name that does not belong is inside the object that has it. */
function reached(issue: z.core.$ZodIssue): number {
  return issue.path.length + (issue.code === "unrecognized_keys" ? 1 : 0);
}

function explain(metadata: unknown, issue: z.core.$ZodIssue): MetadataIssue {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  if (issue.code === "invalid_key") {
    const name = String(path.at(-1));
    const message = `has ${JSON.stringify(name)} for a name; it must be ${NAME}`;
    return { path: path.slice(0, -1), message, member: name };
  }
  // What the schema says in its own words.
  if (issue.code === "custom") return { path, message: issue.message };
  const place = path.join(".");
  const {
    must,
    example,
    names = [],
  } = wanted.find((entry) => entry.path.test(place)) ?? {
    must: "something else",
    example: `${place}: …`,
  };
  if (issue.code === "unrecognized_keys") {
    const [name = ""] = issue.keys;
    const near = nearestName(name, names);
    const remedy = near === undefined ? `there are ${names.join(", ")}` : `did you mean ${near}?`;
    const message = `has ${JSON.stringify(name)}, which means nothing there; ${remedy}`;
    return { path, message, member: name };
  }
  const value = path.reduce<unknown>(
    (inner, part) =>
      typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[part] : undefined,
    metadata,
  );
  const fault = `must be ${must}, and is ${describeValue(value)}; write`;
  const meant = explainMeant(must, value, path);
  if (meant !== undefined) return { path, message: `${fault} ${meant}` };
  const quoted = must.includes("text") && (typeof value === "boolean" || Number.isFinite(value));
  const last = path.at(-1);
  const name = typeof last === "string" ? `${last}: ` : "";
  const write =
    value === null && must === "text"
      ? `${example} (a # begins a comment: put a text that begins with one in quotes)`
      : quoted
        ? `${name}"${String(value)}"`
        : example;
  return { path, message: `${fault} ${write}` };
}

/** What to write for a value whose meaning shows, or is one of few; undefined when an example says more. */
function explainMeant(must: string, value: unknown, path: readonly (string | number)[]): string | undefined {
  const last = path.at(-1);
  const name = typeof last === "string" ? `${last}: ` : "";
  if (must === "true or false") {
    const meant = meantBoolean(value);
    return meant === undefined ? `${name}true or ${name}false` : `${name}${meant}`;
  }
  if (must === TYPES || must.startsWith("a type (")) {
    const meant =
      meantType(value) ?? (typeof value === "string" ? nearestName(value, TYPE_NAMES) : undefined);
    if (meant !== undefined) return `${name}${meant}`;
    return must === TYPES && typeof value === "string" ? `one of these, such as ${name}string` : undefined;
  }
  if (!must.includes("whole number")) return undefined;
  const meant = meantNumber(value);
  const least = must.startsWith(ABOVE_ZERO) ? 1 : 0;
  return meant !== undefined && Number.isSafeInteger(meant) && meant >= least ? `${name}${meant}` : undefined;
}
