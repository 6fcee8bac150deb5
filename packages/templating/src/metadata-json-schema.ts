import type { JsonSchema } from "@promptfold/contract";
import { z } from "zod";
import { Frontmatter, PublishedJournalConfig } from "./metadata-schema.ts";

/**
 * The JSON Schemas that editors complete and validate with, by file name: `frontmatter.json` for a prompt's frontmatter,
 * `journal.json` for `config/journal.json`; of draft 7, which they all know. The package publishes them under `schemas/`.
 */
export function metadataJsonSchemas(): Readonly<Record<"frontmatter.json" | "journal.json", JsonSchema>> {
  return { "frontmatter.json": toSchema(Frontmatter), "journal.json": toSchema(PublishedJournalConfig) };
}

/** What an author writes is the input of the schema. */
function toSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "input", target: "draft-7" });
}
