import { isPlainObject } from "@promptfold/contract";
import type { Position } from "@promptfold/parser";
import { CORE_SCHEMA, load, YAMLException } from "js-yaml";
import { describeValue } from "./describe-value.ts";
import { FrontmatterError } from "./errors.ts";
import { explainOddSpace, explainYamlFault } from "./explain-yaml-fault.ts";
import { findBalance, type FrontmatterBlock, IF_BRACE_IS_TEXT } from "./find-frontmatter.ts";
import { explainInexact, findInexactJson, findInexactYaml, type InexactNumber } from "./inexact-number.ts";
import { explainJsonFault, readJson } from "./read-json.ts";
import { isYamlKey, readYamlNodes, type YamlNode } from "./read-yaml-nodes.ts";

/** A prompt file's metadata: own keys, plain JSON-like values, shared with nobody. */
export type Metadata = Record<string, unknown>;

/** More than any author writes; an alias bomb expands to billions. */
const MOST_VALUES = 100_000;
const DEEPEST = 100;
/** More of a line is not looked at for what is wrong. */
const LONGEST_LINE = 1000;

/**
 * Reads a frontmatter block: JSON, or YAML by the 1.2 core schema, in which dates are strings. No other language exists
 * here, nothing is executed, and nothing is cached: a broken block fails on every load.
 *
 * @throws FrontmatterError with the author's line and column
 */
export function readFrontmatter(
  file: string,
  text: string,
  block: FrontmatterBlock,
  locate: (offset: number) => Position,
): Metadata {
  const source = text.slice(block.start, block.end);
  const fail = (offset: number, reason: string, cause?: unknown): never => {
    throw new FrontmatterError(file, locate(block.start + offset), reason, { cause });
  };
  const data = block.language === "json" ? readJsonBlock(source, fail) : readYaml(source, fail);
  if (!isPlainObject(data)) {
    const odd = block.language === "yaml" ? explainOddSpace(source.slice(0, LONGEST_LINE)) : undefined;
    if (odd !== undefined) return fail(odd.offset, `the frontmatter is not valid YAML: ${odd.reason}`);
    return fail(
      0,
      `the frontmatter is ${describeValue(data)}; write "name: value" lines, or remove its fences`,
    );
  }
  const copy = new PlainCopy(fail);
  // Only an alias (`*name`) shares one part with another.
  if (source.includes("*")) return copy.object(data, 0);
  copy.measure(data, 0);
  return data;
}

type Fail = (offset: number, reason: string, cause?: unknown) => never;

function readJsonBlock(source: string, fail: Fail): unknown {
  const reading = readJson(source);
  if (reading.kind === "data") {
    refuseInexact(findInexactJson(source), fail);
    return reading.data;
  }
  const close = findBalance(source, 0);
  // The object itself is sound: the fault is that it does not end the block.
  if (close !== -1 && reading.fault.offset > close)
    return fail(close, explainClose(source, close), reading.cause);
  const reason = `the frontmatter is ${explainJsonFault(reading.fault)}`;
  return fail(reading.fault.offset, `${reason}; ${IF_BRACE_IS_TEXT}`, reading.cause);
}

/** What would be read as something else than the author wrote is no metadata of theirs. */
function refuseInexact(number: InexactNumber | undefined, fail: Fail): void {
  if (number !== undefined) fail(number.offset, `in the frontmatter, ${explainInexact(number)}`);
}

function explainClose(source: string, close: number): string {
  const start = source.lastIndexOf("\n", close) + 1;
  const [line = ""] = source.slice(start).split("\n", 1);
  return line.trim() === "}"
    ? "blanks stand beside the } here, so the frontmatter does not end with it; remove the blanks"
    : `the } that ends the frontmatter stands beside other text; put it on a line of its own; ${IF_BRACE_IS_TEXT}`;
}

/** What stands beside every key that is a list, an object, or an alias of one: without it, none need be looked for. */
const MAY_HAVE_ODD_KEY = /[\]}]\s*:|\?\s|\*[^\s*]+\s+:/;

function readYaml(source: string, fail: Fail): unknown {
  const data = loadYaml(source, fail);
  refuseInexact(findInexactYaml(source), fail);
  // The reader makes text of such a key: `[object Object]`.
  const key = MAY_HAVE_ODD_KEY.test(source) ? findOddKey(source) : undefined;
  return key === undefined ? data : fail(key.start, ODD_KEY);
}

function loadYaml(source: string, fail: Fail): unknown {
  try {
    return load(source, { schema: CORE_SCHEMA }) ?? {};
  } catch (cause) {
    if (cause instanceof YAMLException) {
      const { offset, reason } = explainYamlFault(source, cause);
      return fail(offset, `the frontmatter is not valid YAML: ${reason}`, cause);
    }
    return fail(0, "the frontmatter is nested too deeply to be read; nest it less", cause);
  }
}

const ODD_KEY =
  'the frontmatter is not valid YAML: a list or an object stands where a name belongs; put it in quotes, or write "name: value"';

function findOddKey(source: string): YamlNode | undefined {
  return readYamlNodes(source).closed.find(
    (node) => typeof node.value === "object" && node.value !== null && isYamlKey(source, node),
  );
}

/** Copies parsed data, so that no part of it is shared (YAML aliases) and its size is known. */
class PlainCopy {
  readonly #fail: Fail;
  #values = 0;

  constructor(fail: Fail) {
    this.#fail = fail;
  }

  /** Finds what is too large or too deep in data that need not be copied. */
  measure(value: unknown, depth: number): void {
    this.#count(depth);
    if (typeof value !== "object" || value === null) return;
    for (const inner of Array.isArray(value) ? (value as unknown[]) : Object.values(value))
      this.measure(inner, depth + 1);
  }

  object(source: Record<string, unknown>, depth: number): Metadata {
    // `fromEntries` creates own properties, whatever they are called.
    return Object.fromEntries(
      Object.entries(source).map(([key, value]) => [key, this.#value(value, depth + 1)]),
    );
  }

  #count(depth: number): void {
    this.#values += 1;
    if (this.#values > MOST_VALUES)
      this.#fail(0, `the frontmatter expands to more than ${MOST_VALUES} values; use fewer aliases (*name)`);
    if (depth > DEEPEST)
      this.#fail(0, `the frontmatter is nested more than ${DEEPEST} levels deep; nest it less`);
  }

  #value(value: unknown, depth: number): unknown {
    this.#count(depth);
    if (Array.isArray(value)) return value.map((element) => this.#value(element, depth + 1));
    return isPlainObject(value) ? this.object(value, depth) : value;
  }
}
