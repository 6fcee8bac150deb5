import { loadTokenCounter } from "@promptfold/check";
import { isPlainObject, printable } from "@promptfold/contract";
import { BodyDoctor, formatDiagnosis, type InputPrice, type PriceTable } from "@promptfold/replay";
import type { Command } from "commander";
import { InputError } from "../errors.ts";
import { readBodies } from "../input/read-bodies.ts";
import { readJsonObject } from "../input/read-json-object.ts";
import { readLines } from "../input/read-lines.ts";
import { STDIN_NAME } from "../input/read-text-input.ts";
import type { Outcome } from "../outcome.ts";
import { writeJson, writeOut } from "../terminal/write-out.ts";

interface DoctorOptions {
  readonly prices?: string;
  readonly json?: true;
}

/** `promptfold doctor`: raw provider bodies of any agent: where each prefix broke, why, and what it cost. */
export function addDoctorCommand(program: Command, outcome: Outcome): void {
  program
    .command("doctor")
    .summary("find out why an agent's prompt cache misses, from its raw request bodies")
    .description(
      "Reads the request bodies that any agent sent to OpenAI, Anthropic or Gemini, one JSON body a line or one JSON " +
        "list, in the order in which they were sent. Says where a body does not begin with the one before it, why that is likely, and what " +
        "it cost. Exits with 1 when it finds such a place.",
    )
    .argument("<file.jsonl>", "the bodies; - reads standard input")
    .option("--prices <file.json>", "what a million input tokens cost, by model")
    .option("--json", "the diagnosis as JSON; bodies count from 0")
    .addHelpText(
      "after",
      `
A price table: {"gpt-5": {"input": 1.25, "cachedInput": 0.125}}

Example:
  promptfold doctor requests.jsonl --prices prices.json`,
    )
    .action(async (path: string, options: DoctorOptions) => {
      const prices = options.prices === undefined ? undefined : readPrices(options.prices);
      const doctor = new BodyDoctor({ prices, countTokens: await loadTokenCounter() });
      const name = path === "-" ? STDIN_NAME : path;
      const places: string[] = [];
      for await (const { body, place } of readBodies(readLines(path), name)) {
        places.push(place);
        doctor.add(body);
      }
      if (places.length === 0) throw new InputError(`${name}: no body in it; write one JSON body a line`);
      const { diagnosis } = doctor;
      if (options.json === true) await writeJson(diagnosis);
      else
        await writeOut(printable(formatDiagnosis(diagnosis, { nameBody: (index) => places[index] ?? name })));
      outcome.exitCode = diagnosis.breaks.length + diagnosis.unreadable.length > 0 ? 1 : 0;
    });
}

function readPrices(path: string): PriceTable {
  const wanted = 'a price table is {"gpt-5": {"input": 1.25, "cachedInput": 0.125}}, for a million tokens';
  const prices = readJsonObject(path, wanted);
  for (const [model, price] of Object.entries(prices)) {
    if (!isPrice(price)) throw new InputError(`${path}: the price of ${model} is incomplete; ${wanted}`);
  }
  return prices as PriceTable;
}

function isPrice(price: unknown): price is InputPrice {
  if (!isPlainObject(price)) return false;
  const { input, cachedInput, cacheWrite = 0 } = price;
  return [input, cachedInput, cacheWrite].every((amount) => typeof amount === "number" && amount >= 0);
}
