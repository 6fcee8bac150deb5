import { transform } from "sucrase";

/** Code whose TypeScript syntax cannot be read; line and column count from 1. */
export interface SyntaxProblem {
  message: string;
  line: number;
  column?: number;
}

/** Plain JavaScript with the lines of the TypeScript it came from, or what is wrong with it. */
export type StrippedCode = { kind: "code"; code: string } | { kind: "problem"; problem: SyntaxProblem };

/** Removes types and translates enums and parameter properties. Namespaces are not translated. */
export function stripTypes(code: string): StrippedCode {
  try {
    return {
      kind: "code",
      code: transform(code, { transforms: ["typescript"], disableESTransforms: true }).code,
    };
  } catch (error) {
    return { kind: "problem", problem: readProblem(error) };
  }
}

function readProblem(error: unknown): SyntaxProblem {
  if (!(error instanceof Error)) return { message: String(error), line: 1 };
  if (error instanceof RangeError) return { message: "The code is nested too deeply", line: 1 };
  const message = error.message.replace(/^Error transforming [^:]*: /, "").replace(/ \(\d+:\d+\)$/, "");
  const place: unknown = "loc" in error ? error.loc : undefined;
  if (typeof place !== "object" || place === null) return { message, line: 1 };
  const line = "line" in place && typeof place.line === "number" ? place.line : 1;
  if (!("column" in place) || typeof place.column !== "number") return { message, line };
  return { message, line, column: place.column };
}
