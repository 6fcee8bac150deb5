import { createLocator, normalizeText } from "@promptfold/parser";
import { FrontmatterError, parsePromptFile, type PromptFile } from "@promptfold/templating";
import { decodeText, readText, UnreadableFileError } from "@promptfold/templating/node";
import type { Finding } from "./finding.ts";

/** Collects what a check reads and finds. A fault that several prompts share is kept once. */
export class CheckRun {
  readonly sources: Map<string, string> = new Map();
  readonly notes: string[] = [];
  readonly #findings = new Map<string, Finding>();
  readonly #files = new Map<string, PromptFile | undefined>();
  readonly #texts: ReadonlyMap<string, Uint8Array>;
  readonly #named: ReadonlySet<string>;

  /**
   * @param texts - bytes that stand in no file, by the name that findings give them
   * @param named - paths that the caller named, which may be pipes
   */
  constructor(texts: ReadonlyMap<string, Uint8Array> = new Map(), named: Iterable<string> = []) {
    this.#texts = texts;
    this.#named = new Set(named);
  }

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
      const bytes = this.#texts.get(file);
      const mayBePipe = this.#named.has(file);
      const text = normalizeText(
        bytes === undefined ? readText(file, { mayBePipe }) : decodeText(file, bytes),
      );
      this.sources.set(file, text);
      return text;
    } catch (error) {
      if (!UnreadableFileError.isInstance(error)) throw error;
      this.report({
        code: "unreadable-file",
        severity: "error",
        message: error.reason,
        file,
        line: 1,
        column: 1,
      });
      return undefined;
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
    const zero = text.indexOf("\0");
    if (zero !== -1) {
      const message =
        "a null character stands here, as in text that was saved as UTF-16 and in what is no text; save the file as UTF-8";
      this.report({
        code: "null-character",
        severity: "warning",
        message,
        file,
        ...createLocator(text)(zero),
      });
    }
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
