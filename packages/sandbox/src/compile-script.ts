import type { QuickJSContext } from "quickjs-emscripten";
import { stripTypes, type SyntaxProblem } from "./strip-types.ts";

/** The name a script has in stack traces. */
export const SCRIPT_NAME = "script.ts";

/** A script that parses, ready to evaluate to a function of `host`; or what is wrong with it, in words. */
export type CompiledScript =
  { kind: "compiled"; code: string; whole: boolean } | { kind: "problem"; problem: string };

interface Form {
  before: string;
  after: string;
  /** Calling the function gives another one, to be called with `host`, or the result itself. */
  whole: boolean;
  translate?: (code: string) => string;
}

const WITHOUT_VALUE =
  "The last statement gives no value, so nothing can be returned. Send one async function of host, or statements that return.";

const asBody: Form = { before: "(async function (host) {", after: "\n})", whole: false };
const asExpression: Form = { before: "(async function (host) { return (", after: "\n) })", whole: true };
/** Declarations followed by a call: the value of the last statement is the result, and must be one. */
const asStatements: Form = {
  before: "",
  after: "",
  whole: true,
  translate: (code) => `(function (host) {
    const value = (0, eval)(${JSON.stringify(code)});
    if (value === undefined) throw new Error(${JSON.stringify(WITHOUT_VALUE)});
    return value;
  })`,
};

/**
 * Checks a script without running any of it. `wrap` says that it is the body of an async function of `host`; else it
 * is a whole function, or, where models write more than that, declarations that end in a call, or a body after all.
 */
export function compileScript(context: QuickJSContext, code: string, wrap: boolean): CompiledScript {
  const forms = wrap ? [asBody] : [asExpression, asStatements, asBody];
  const problems: SyntaxProblem[] = [];
  for (const form of forms) {
    const text = form === asExpression ? trimEnd(code) : code;
    const stripped = stripTypes(`${form.before}${text}${form.after}`);
    if (stripped.kind === "problem") {
      problems.push(shiftColumn(stripped.problem, form));
      continue;
    }
    const problem = checkSyntax(context, stripped.code);
    if (problem === undefined) {
      return { kind: "compiled", code: form.translate?.(stripped.code) ?? stripped.code, whole: form.whole };
    }
    problems.push(problem);
  }
  const furthest = problems.reduce((far, next) => (isFurther(next, far) ? next : far));
  return { kind: "problem", problem: describeProblem(code, furthest) };
}

/** The line of the code as its author wrote it, for a message: `line 3: const x = ;`. */
export function quoteLine(code: string, line: number): string | undefined {
  const text = code.split("\n")[line - 1]?.trim();
  if (text === undefined) return undefined;
  return `line ${line}${text === "" ? "" : `: ${text.length > 160 ? `${text.slice(0, 160)}…` : text}`}`;
}

function trimEnd(code: string): string {
  let end = code.length;
  while (end > 0 && (code[end - 1] === ";" || code[end - 1]?.trim() === "")) end -= 1;
  return code.slice(0, end);
}

function checkSyntax(context: QuickJSContext, code: string): SyntaxProblem | undefined {
  const result = context.evalCode(code, SCRIPT_NAME, { type: "global", strict: true, compileOnly: true });
  if (!result.error) {
    result.value.dispose();
    return undefined;
  }
  const error: unknown = result.error.consume((handle) => context.dump(handle) as unknown);
  if (typeof error !== "object" || error === null) return { message: String(error), line: 1 };
  const message = "message" in error ? String(error.message) : "it cannot be parsed";
  const line = "lineNumber" in error && typeof error.lineNumber === "number" ? error.lineNumber : 1;
  return { message, line };
}

function shiftColumn(problem: SyntaxProblem, form: Form): SyntaxProblem {
  if (problem.line !== 1 || problem.column === undefined) return problem;
  return { ...problem, column: Math.max(1, problem.column - form.before.length) };
}

function isFurther(a: SyntaxProblem, b: SyntaxProblem): boolean {
  return a.line > b.line || (a.line === b.line && (a.column ?? 0) > (b.column ?? 0));
}

function moduleHint(code: string, line: number): string {
  if (!/^\s*(?:import|export)\b/.test(code.split("\n")[line - 1] ?? "")) return "";
  return ". A script can neither import nor export; what it needs stands in host";
}

function describeProblem(code: string, { message, line, column }: SyntaxProblem): string {
  const quoted = quoteLine(code, line);
  if (quoted === undefined) return `SyntaxError: ${message}, at the end of the code`;
  const place = column === undefined ? "" : `, column ${column}`;
  return `SyntaxError: ${message} (line ${line}${place})${moduleHint(code, line)}\n    at ${quoted}`;
}
