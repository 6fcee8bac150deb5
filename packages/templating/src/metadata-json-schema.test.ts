import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
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
});
