import { loadTokenCounter } from "@promptfold/check";
import { printable } from "@promptfold/contract";
import {
  BodyDoctor,
  type Diagnosis,
  formatDiagnosis,
  groupBreaks,
  InvalidPriceTableError,
  parsePriceTable,
  type PriceTable,
} from "@promptfold/replay";
import { STDIN_NAME } from "@promptfold/templating/node";
import { type Command, Option } from "commander";
import type { BodyFormat } from "@promptfold/renderer";
import { InputError } from "../errors.ts";
import { readBodies } from "../input/read-bodies.ts";
import { readJsonObject } from "../input/read-json-object.ts";
import { readLines } from "../input/read-lines.ts";
import type { Outcome } from "../outcome.ts";
import { writeJson, writeOut } from "../terminal/write-out.ts";

interface DoctorOptions {
  readonly format?: BodyFormat;
  readonly prices?: string;
  readonly all?: true;
  readonly json?: true;
}

const formats: readonly BodyFormat[] = [
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "gemini",
  "ai-sdk",
];

/** `promptfold doctor`: raw provider bodies of any agent: where each prefix broke, why, and what it cost. */
export function addDoctorCommand(program: Command, outcome: Outcome): void {
  program
    .command("doctor")
    .summary("find out why an agent's prompt cache misses, from its raw request bodies")
    .description(
      "Reads the request bodies that any agent sent to OpenAI, Anthropic or Gemini, one JSON body a line, one JSON " +
        "list or a HAR file, in the order in which they were sent, of any number of conversations. Says where a body " +
        "does not begin with the one before it, why that is likely, and what it cost, at last by cause and place; and " +
        "where nothing asks for a cache that has to be asked for. Exits with 1 when it finds such a place.",
    )
    .argument("<file.jsonl>", "the bodies, or a HAR file; - reads standard input")
    .addOption(
      new Option(
        "--format <format>",
        "whose API the bodies speak; without it, that is told from each body",
      ).choices(formats),
    )
    .option("--prices <file.json>", "what a million input tokens cost, by model")
    .option("--all", "tell each break, not only the first three of one cause at one kind of place")
    .option(
      "--json",
      "the diagnosis as JSON, with each break, and sums in `causes`; bodies count from 0, `at` and `line` say where they stand",
    )
    .addHelpText(
      "after",
      `
A price table: {"gpt-5": {"input": 1.25, "cachedInput": 0.125}}, for a million tokens; "cacheWrite" beside them where
writing to the cache is billed apart. A name stands for that model and its dated snapshots (gpt-5-2025-08-07, -latest),
also behind a provider's prefix (openai/gpt-5), and for no other model: gpt-5-mini needs an entry of its own.

What comes from the cache is judged by each provider's rules (what it caches, from how many tokens on), as if no cache
expired between two requests. Images, sound and files are counted by an estimate: their data is no text. Calls that only
count tokens are left out: by the address beside the body, or else as bodies to Claude that alone have no max_tokens.

Example:
  promptfold doctor requests.jsonl --prices prices.json`,
    )
    .action(async (path: string, options: DoctorOptions) => {
      const prices = options.prices === undefined ? undefined : readPrices(options.prices);
      const doctor = new BodyDoctor({
        prices,
        format: options.format,
        countTokens: await loadTokenCounter(),
      });
      const name = path === "-" ? STDIN_NAME : path;
      const places: Place[] = [];
      for await (const { body, place, line } of readBodies(readLines(path), name)) {
        places.push({ at: place, line });
        doctor.add(body);
      }
      if (places.length === 0) throw new InputError(`${name}: no body in it; write one JSON body a line`);
      const { diagnosis } = doctor;
      if (options.json === true) await writeJson(withPlaces(diagnosis, places));
      else {
        const text = formatDiagnosis(diagnosis, {
          nameBody: (index) => places[index]?.at ?? name,
          maxAlike: options.all === true ? Infinity : undefined,
          howToSeeAll: "--all tells each",
        });
        await writeOut(printable(text));
      }
      const faults = diagnosis.notes.filter(({ isFault }) => isFault);
      outcome.exitCode = diagnosis.breaks.length + diagnosis.unreadable.length + faults.length > 0 ? 1 : 0;
    });
}

/** Where a body stands in the file. */
interface Place {
  readonly at: string;
  readonly line: number | undefined;
}

/** A diagnosis in which each body has its place in the file beside its number. */
function withPlaces(diagnosis: Diagnosis, places: readonly Place[]): object {
  const placeOf = (index: number | undefined): Place | undefined =>
    index === undefined ? undefined : places[index];
  return {
    ...diagnosis,
    breaks: diagnosis.breaks.map((each) => ({
      ...placeOf(each.body),
      ...each,
      previousAt: placeOf(each.previous)?.at,
      previousLine: placeOf(each.previous)?.line,
      servedByAt: placeOf(each.servedBy)?.at,
      servedByLine: placeOf(each.servedBy)?.line,
    })),
    causes: groupBreaks(diagnosis.breaks).map((each) => ({ ...placeOf(each.first), ...each })),
    unreadable: diagnosis.unreadable.map((each) => ({ ...placeOf(each.body), ...each })),
    notes: diagnosis.notes.map((each) => ({ ...placeOf(each.first), ...each })),
  };
}

function readPrices(path: string): PriceTable {
  const prices = readJsonObject(path, "a price table is a JSON object");
  try {
    return parsePriceTable(prices);
  } catch (error) {
    if (!InvalidPriceTableError.isInstance(error)) throw error;
    throw new InputError(`${path}: ${error.message}`, { cause: error });
  }
}
