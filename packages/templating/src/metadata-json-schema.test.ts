import { readFileSync, writeFileSync } from "node:fs";
import Ajv from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flattenIdentity } from "./identity.ts";
import { checkMetadata } from "./metadata.ts";
import { metadataJsonSchemas } from "./metadata-json-schema.ts";

describe("the published JSON Schemas", () => {
  it.each(Object.entries(metadataJsonSchemas()))("%s is what the schema in code gives", (name, schema) => {
    const path = new URL(`../schemas/${name}`, import.meta.url);
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    // PROMPTFOLD_WRITE_SCHEMAS=1 writes the files anew; read the difference before committing it.
    if (process.env["PROMPTFOLD_WRITE_SCHEMAS"] === "1") writeFileSync(path, text);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(schema);
  });

  it("describe every field with a meaning, and let others be", () => {
    const { "frontmatter.json": frontmatter, "journal.json": journal } = metadataJsonSchemas();
    const properties = frontmatter["properties"] as Record<string, { description?: string }>;
    expect(Object.keys(properties)).toEqual([
      "title",
      "color",
      "schedule",
      "tier",
      "tools",
      "max_output_tokens",
      "thinking_budget",
      "budget_tokens",
      "input",
    ]);
    for (const property of Object.values(properties)) expect(property.description).toMatch(/\.$/);
    expect(frontmatter["additionalProperties"]).not.toBe(false);
    expect(Object.keys(journal["properties"] as object)).toEqual(["identity"]);
  });

  const part = fc.constantFrom(
    ..."name type required default description a b __proto__ file sections".split(" "),
  );
  const leaf = fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    3,
    1.5,
    -1,
    "3",
    "x",
    "number",
    "integer",
    "string",
    "boolean",
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      { arbitrary: leaf, weight: 3 },
      { arbitrary: fc.array(tie("value"), { maxLength: 2 }), weight: 1 },
      { arbitrary: fc.dictionary(part, tie("value"), { maxKeys: 3 }), weight: 2 },
    ),
  }));
  /** As a file gives it: `__proto__` is a member like any other. */
  const written = (data: unknown): Record<string, unknown> =>
    JSON.parse(JSON.stringify(data)) as Record<string, unknown>;
  const { "frontmatter.json": frontmatter, "journal.json": journal } = metadataJsonSchemas();

  it("refuse what the reader of frontmatter refuses, and nothing else", () => {
    const isValid = new Ajv().compile(frontmatter);
    const type = fc.constantFrom<unknown>("string", "number", "integer", "boolean", "text");
    const entry = fc.record(
      { name: part, type, required: fc.boolean(), default: leaf },
      { requiredKeys: [] },
    );
    const field = fc.constantFrom(..."title tier tools max_output_tokens budget_tokens input".split(" "));
    const metadata = fc.oneof(
      fc.record({
        input: fc.oneof(fc.array(entry, { maxLength: 2 }), fc.dictionary(part, fc.oneof(entry, type, leaf))),
      }),
      fc.record({ budget_tokens: fc.record({ sections: fc.dictionary(part, leaf) }) }),
      fc.dictionary(field, value, { maxKeys: 2 }),
    );
    fc.assert(
      fc.property(metadata, (data) => {
        const read = written(data);
        const faults = checkMetadata(read).filter(({ message }) => !message.startsWith("has the name"));
        expect([read, isValid(read)]).toEqual([read, faults.length === 0]);
      }),
      { numRuns: 5_000 },
    );
  });

  it("refuse what the reader of an identity refuses, but for two fields of one name", () => {
    const isValid = new Ajv().compile(journal);
    fc.assert(
      fc.property(fc.dictionary(part, value), (identity) => {
        const read = written({ identity, other: [null] });
        const { problems } = flattenIdentity(read["identity"] as Record<string, unknown>);
        const faults = problems.filter(({ code }) => code !== "ambiguous");
        expect([read, isValid(read)]).toEqual([read, faults.length === 0]);
      }),
      { numRuns: 2_000 },
    );
  });
});
