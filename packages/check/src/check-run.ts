import { existsSync } from "node:fs";
import { normalizeText } from "@promptfold/parser";
import { FrontmatterError, parsePromptFile, type PromptFile } from "@promptfold/templating";
import { readText, UnreadableFileError } from "@promptfold/templating/node";
import type { Finding } from "./finding.ts";

/** Collects what a check reads and finds. A fault that several prompts share is kept once. */
export class CheckRun {
  readonly sources: Map<string, string> = new Map();
  readonly #findings = new Map<string, Finding>();
  readonly #files = new Map<string, PromptFile | undefined>();

  report(finding: Finding): void {
    const key = JSON.stringify([finding.file, finding.line, finding.column, finding.code, finding.message]);
    if (!this.#findings.has(key)) this.#findings.set(key, finding);
  }

  /** Every finding by file, line and column. */
  findings(): Finding[] {
    return [...this.#findings.values()].sort(
      (a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column || compare(a.code, b.code),
    );
  }

  /** Reads a text once; undefined when it cannot be read, which is then a finding. */
  readText(file: string): string | undefined {
    const known = this.sources.get(file);
    if (known !== undefined) return known;
    try {
      const text = normalizeText(readText(file));
      this.sources.set(file, text);
      return text;
    } catch (error) {
      const start = { severity: "error", file, line: 1, column: 1 } as const;
      if (UnreadableFileError.isInstance(error)) {
        this.report({
          ...start,
          code: "unreadable-file",
          message: "the file is not UTF-8 text; save it as UTF-8",
        });
        return undefined;
      }
      if (!existsSync(file) || (error instanceof Error && "code" in error)) {
        const reason = error instanceof Error ? error.message : String(error);
        this.report({ ...start, code: "unreadable-file", message: `the file cannot be read: ${reason}` });
        return undefined;
      }
      throw error;
    }
  }

  /** Reads a prompt file once; undefined when it cannot be read, which is then a finding. */
  readPrompt(file: string): PromptFile | undefined {
    if (this.#files.has(file)) return this.#files.get(file);
    const prompt = this.#parse(file);
    this.#files.set(file, prompt);
    return prompt;
  }

  #parse(file: string): PromptFile | undefined {
    const text = this.readText(file);
    if (text === undefined) return undefined;
    try {
      return parsePromptFile(text, { file });
    } catch (error) {
      if (!FrontmatterError.isInstance(error)) throw error;
      const { line, column, reason } = error;
      this.report({ code: "invalid-frontmatter", severity: "error", message: reason, file, line, column });
      return undefined;
    }
  }
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
