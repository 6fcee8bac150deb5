import { isPlainObject } from "@promptfold/contract";
import { z } from "zod";
import { explainDefault, explainSameName, REQUIRED_WITH_DEFAULT } from "./explain-inputs.ts";
import type { Value } from "./substitute.ts";
import { VARIABLE_NAME } from "./variable-name.ts";

/** What a prompt file may weigh, in tokens of its parsed text: the whole file, one section by key, or any section. */
export type TokenBudget =
  | number
  | {
      readonly file?: number | undefined;
      readonly section?: number | undefined;
      readonly sections?: Readonly<Record<string, number>> | undefined;
    };

/** What an input's value must be. */
export type InputType = "string" | "number" | "integer" | "boolean";

interface InputFields {
  readonly type?: InputType | undefined;
  readonly required?: boolean | undefined;
  readonly default?: Value | undefined;
  readonly description?: string | undefined;
}

/** Declared inputs as an author writes them: a list of entries with a name, or a map from names to entries or types. */
export type InputDeclarations =
  readonly (InputFields & { readonly name: string })[] | Readonly<Record<string, InputType | InputFields>>;

/** Metadata with a meaning. Other fields are kept and mean nothing here. */
export interface Frontmatter {
  readonly title?: string | undefined;
  readonly color?: string | undefined;
  readonly schedule?: string | undefined;
  readonly tier?: number | string | undefined;
  readonly tools?: string | readonly string[] | undefined;
  readonly max_output_tokens?: number | undefined;
  readonly thinking_budget?: number | undefined;
  readonly budget_tokens?: TokenBudget | undefined;
  readonly input?: InputDeclarations | undefined;
  readonly [field: string]: unknown;
}

/** What `config/journal.json` may hold; other fields are kept. */
export interface JournalConfig {
  readonly identity?: Readonly<Record<string, unknown>> | undefined;
  readonly [field: string]: unknown;
}

const tokens = z.int().positive();

/** Schema of {@link TokenBudget}. */
export const TokenBudget: z.ZodType<TokenBudget> = z
  .union([
    tokens,
    z.strictObject({
      file: tokens.optional().describe("What the whole file may weigh."),
      section: tokens.optional().describe("What any section may weigh."),
      sections: z.record(z.string(), tokens).optional().describe("What a section may weigh, by its key."),
    }),
  ])
  .describe("What the file may weigh, in tokens of its parsed text; sections may have budgets of their own.");

const INPUT_TYPES = ["string", "number", "integer", "boolean"] as const;
const inputType = z.enum(INPUT_TYPES);
const inputFields = {
  type: inputType.optional().describe("What the value must be; string unless given."),
  required: z
    .boolean()
    .optional()
    .describe("Whether it must be given; true unless there is a default, and never with one."),
  default: z
    .union([z.string(), z.number(), z.boolean()])
    .optional()
    .describe("What it is when nobody gives it."),
  description: z.string().optional().describe("What it means, for whoever fills it in."),
};
const inputName = z.string().regex(VARIABLE_NAME, "is not a variable's name");
const inputDeclarations = z
  .union([
    z
      .array(
        z
          .strictObject({ name: inputName, ...inputFields })
          .superRefine(checkInput)
          .meta(inputRules()),
      )
      // Also beside entries at fault, which would hide it.
      .superRefine(checkNames, { when: ({ value }) => Array.isArray(value) }),
    z.record(
      inputName,
      z.union([inputType, z.strictObject(inputFields).superRefine(checkInput).meta(inputRules())]),
    ),
  ])
  .describe("The variables that this prompt takes from its caller.");

/** The names of the metadata that has a meaning. */
export const METADATA_FIELDS: readonly string[] = [
  "title",
  "color",
  "schedule",
  "tier",
  "tools",
  "max_output_tokens",
  "thinking_budget",
  "budget_tokens",
  "input",
];

/** What holds between the fields of an input, as {@link checkInput} has it, for the published JSON Schema. */
function inputRules(): Record<string, unknown> {
  const others = INPUT_TYPES.filter((type) => type !== "string");
  const isOneOf = (types: readonly InputType[]) => ({
    properties: { type: { enum: types } },
    required: ["type"],
  });
  const hasDefaultOf = (type: InputType) => ({ properties: { default: { type } } });
  return {
    allOf: [
      ...others.map((type) => ({ if: isOneOf([type]), then: hasDefaultOf(type) })),
      { if: { not: isOneOf(others) }, then: hasDefaultOf("string") },
      { if: { required: ["default"] }, then: { properties: { required: { const: false } } } },
    ],
  };
}

/** A default has the input's type, and only an input that need not be given has one. */
function checkInput({ type, required, default: fallback }: InputFields, context: z.RefinementCtx): void {
  if (fallback === undefined) return;
  if (!hasType(fallback, type ?? "string"))
    context.addIssue({ code: "custom", path: ["default"], message: explainDefault(fallback, type) });
  if (required === true) context.addIssue({ code: "custom", message: REQUIRED_WITH_DEFAULT });
}

/** What no JSON Schema says. */
function checkNames(inputs: readonly unknown[], context: z.RefinementCtx): void {
  const first = new Map<string, number>();
  for (const [index, input] of inputs.entries()) {
    const name = isPlainObject(input) && Object.hasOwn(input, "name") ? input["name"] : undefined;
    if (typeof name !== "string") continue;
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, index);
    else context.addIssue({ code: "custom", path: [index], message: explainSameName(name, earlier) });
  }
}

/** Whether a value is one of an input's type. */
export function hasType(value: Value, type: InputType): boolean {
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

/** Schema of {@link Frontmatter}. */
export const Frontmatter: z.ZodType<Frontmatter> = z
  .looseObject({
    title: z.string().optional().describe("What people call this prompt."),
    color: z.string().optional().describe("The color it is shown in, as CSS writes it."),
    schedule: z.string().optional().describe("When a generator prompt runs, such as daily or segment."),
    tier: z.union([z.int(), z.string()]).optional().describe("Which class of model it is for."),
    tools: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe("What an agent prompt may use; a file with tools is an agent prompt."),
    max_output_tokens: tokens.optional().describe("The most tokens of an answer; a request parameter."),
    thinking_budget: z.int().nonnegative().optional().describe("Tokens for thinking; a request parameter."),
    budget_tokens: TokenBudget.optional(),
    input: inputDeclarations.optional(),
  })
  .describe("Frontmatter of a Promptfold prompt file.");

/** Schema of {@link JournalConfig}. What stands in an identity is for `flattenIdentity` to judge. */
export const JournalConfig: z.ZodType<JournalConfig> = journalConfig(z.unknown());

const scalar = [z.string(), z.number(), z.boolean()] as const;
const identityValue: z.ZodType = z
  .lazy(() => z.union([...scalar, z.null(), z.array(z.union(scalar)), z.record(z.string(), identityValue)]))
  .meta({
    id: "IdentityValue",
    description: "A value, a list of values joined by commas, or fields of its own; null is not given.",
  });

/** {@link JournalConfig} with what `flattenIdentity` takes, for the published JSON Schema. */
export const PublishedJournalConfig: z.ZodType = journalConfig(identityValue);

function journalConfig(value: z.ZodType) {
  return z
    .looseObject({
      identity: z
        .record(z.string(), value)
        .optional()
        .describe("Who the prompts are for; flattened with underscores into variables."),
    })
    .describe("Configuration of a Promptfold config folder.");
}
