import { printable } from "@promptfold/contract";
import type { CheckResult, Finding } from "./finding.ts";

/** Columns of a code frame before a long line is cut around the finding. */
const FRAME_WIDTH = 100;

/**
 * Findings as text for a person: place, code, message, and the line with a mark under the fault; a summary last.
 *
 * @param options - `color`: whether to use ANSI colors
 */
export function formatText(
  { findings, files, sources }: CheckResult,
  { color = false }: { readonly color?: boolean | undefined } = {},
): string {
  const paint = (code: number, text: string): string => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const linesOf = new Map<string, readonly string[]>();
  const readLine = (file: string, line: number): string | undefined => {
    const lines = linesOf.get(file) ?? sources.get(file)?.split("\n") ?? [];
    linesOf.set(file, lines);
    return lines[line - 1];
  };
  const blocks = findings.map((finding) => {
    const { file, line, column, severity, code, message } = finding;
    const place = paint(36, `${printable(file)}:${line}:${column}`);
    const head = `${place} ${paint(severity === "error" ? 31 : 33, severity)} ${code}: ${printable(message)}`;
    const frame = codeFrame(finding, readLine(file, line));
    return frame === undefined ? `${head}\n` : `${head}\n${paint(2, frame)}\n`;
  });
  return [...blocks, `${summarize(findings, files.length)}\n`].join("\n");
}

/** Findings as JSON with a stable shape: `{ version: 1, files, errors, warnings, findings }`. */
export function formatJson({ findings, files }: CheckResult): string {
  const { errors, warnings } = countFindings(findings);
  return `${JSON.stringify({ version: 1, files, errors, warnings, findings }, null, 2)}\n`;
}

/**
 * Findings as annotations of GitHub Actions, one a line.
 *
 * @param options - `nameFile`: how to name a file; annotations want names relative to the repository
 */
export function formatGithub(
  { findings }: CheckResult,
  { nameFile = (file) => file }: { readonly nameFile?: ((file: string) => string) | undefined } = {},
): string {
  return findings
    .map(({ severity, file, line, column, endColumn, code, message }) => {
      const place = [`file=${escapeProperty(nameFile(file))}`, `line=${line}`, `col=${column}`];
      if (endColumn !== undefined) place.push(`endColumn=${endColumn}`);
      return `::${severity} ${place.join(",")},title=${escapeProperty(code)}::${escapeData(message)}\n`;
    })
    .join("");
}

/** How many findings there are of each severity. */
export function countFindings(findings: readonly Finding[]): {
  readonly errors: number;
  readonly warnings: number;
} {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return { errors, warnings: findings.length - errors };
}

function summarize(findings: readonly Finding[], files: number): string {
  const { errors, warnings } = countFindings(findings);
  const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
  const found =
    findings.length === 0 ? "nothing found" : `${counted(errors, "error")}, ${counted(warnings, "warning")}`;
  return `${counted(files, "file")} checked: ${found}`;
}

function codeFrame({ line, column, endColumn }: Finding, text: string | undefined): string | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const start = Math.max(0, Math.min(column - 1, text.length) - FRAME_WIDTH / 2);
  const end = start + FRAME_WIDTH;
  const shown = frameText(text.slice(start, end));
  const before = frameText(text.slice(start, column - 1));
  const marked = frameText(text.slice(column - 1, Math.min((endColumn ?? column + 1) - 1, end))).length;
  const gutter = String(line);
  const cut = start > 0 ? "…" : "";
  const after = end < text.length ? "…" : "";
  return [
    `  ${gutter} | ${cut}${shown}${after}`,
    `  ${" ".repeat(gutter.length)} | ${" ".repeat(cut.length + before.length)}${"^".repeat(Math.max(1, marked))}`,
  ].join("\n");
}

/** A tab would put the mark elsewhere. */
function frameText(text: string): string {
  return printable(text.replaceAll("\t", " "));
}

function escapeData(text: string): string {
  return printable(text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A"));
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
