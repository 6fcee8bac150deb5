import { readBody, type ReadBody, UnreadableBodyError } from "@promptfold/renderer";
import { FirstBodies } from "./log/first-bodies.ts";
import { hasRequest, isResponse } from "./log/is-response.ts";
import { findResponseId } from "./log/response-id.ts";
import { type CallSigns, callSigns, isCountAddress, TokenCounts } from "./log/token-counts.ts";
import { type LoggedBody, readLogged } from "./log/unwrap-body.ts";
import { unreadableReason } from "./log/unreadable-reason.ts";
import { parsePriceTable } from "./cache/price-table.ts";
import { ConversationDoctor, type SentBody } from "./conversation-doctor.ts";
import type { DiagnosedBreak, DiagnoseOptions, Diagnosis, UnreadableBody } from "./diagnosis.ts";
import type { LeftOutKind } from "./notes/diagnosis-notes.ts";

/** A line of a log: a body that was sent, with the signs of what it is, or one that is left out. */
type LogLine =
  | (SentBody & { readonly signs: CallSigns })
  | { readonly leftOut: LeftOutKind; readonly number: number; readonly read?: never };

/** Diagnoses bodies as `diagnoseBodies` does, but one at a time: for files that do not fit into memory. */
export class BodyDoctor {
  readonly #options: DiagnoseOptions;
  readonly #tokenCounts = new TokenCounts();
  readonly #unreadable: UnreadableBody[] = [];
  #first = new FirstBodies<LogLine>();
  #requests: ConversationDoctor;
  #seen = 0;
  #leftOut = 0;

  /** @throws InvalidPriceTableError (`invalid-price-table`) for prices that would make a loss a gain */
  constructor(options: DiagnoseOptions = {}) {
    if (options.prices !== undefined) parsePriceTable(options.prices);
    this.#options = options;
    this.#requests = new ConversationDoctor(options);
  }

  /**
   * Takes the next body; gives the break that it brings, if it brings one. A later body may show that it was none, as it
   * goes on exactly where the conversation stood before it, or as earlier bodies only counted tokens: then `diagnosis`
   * has it no more.
   */
  add(raw: unknown): DiagnosedBreak | undefined {
    const number = this.#seen++;
    const logged = readLogged(raw);
    if (isCountAddress(logged.url)) return this.#take({ leftOut: "token-counts", number });
    const read = this.#read(logged, number);
    if (read === "response") return this.#take({ leftOut: "responses", number });
    if (read === undefined) return undefined;
    return this.#take({ read, number, response: findResponseId(raw), signs: callSigns(logged, read) });
  }

  /** What the bodies so far say. */
  get diagnosis(): Diagnosis {
    const bodies = this.#seen - this.#unreadable.length - this.#leftOut;
    return { bodies, unreadable: [...this.#unreadable], ...this.#requests.diagnosis };
  }

  #read({ body, model }: LoggedBody, number: number): ReadBody | "response" | undefined {
    const { format } = this.#options;
    try {
      const reason = unreadableReason(body, format);
      if (reason === undefined) {
        const read = readBody(body, format);
        if (model === undefined || read.settings.has("model")) return read;
        return { ...read, settings: new Map(read.settings).set("model", JSON.stringify(model)) };
      }
      this.#unreadable.push({ body: number, reason });
    } catch (error) {
      if (!UnreadableBodyError.isInstance(error)) throw error;
      // What has a request beside it is a line whose request cannot be read.
      if (isResponse(body) && !hasRequest(body)) return "response";
      this.#unreadable.push({ body: number, reason: error.message });
    }
    return undefined;
  }

  #take(line: LogLine): DiagnosedBreak | undefined {
    if (!this.#first.add(line)) this.#tokenCounts.keepEarlier();
    if (line.read === undefined) {
      this.#leaveOut(line.leftOut, line.number);
      return undefined;
    }
    switch (this.#tokenCounts.tell(line.signs)) {
      case "count":
        this.#leaveOut("token-counts", line.number);
        return undefined;
      case "request-after-counts":
        return this.#startAnew();
      case "request":
        return this.#requests.add(line);
    }
  }

  #leaveOut(kind: LeftOutKind, number: number): void {
    this.#leftOut++;
    this.#requests.leaveOut(kind, number);
  }

  /** Takes the log so far once more, now that some of its bodies are known to be no requests. */
  #startAnew(): DiagnosedBreak | undefined {
    const { list } = this.#first;
    [this.#requests, this.#first, this.#leftOut] = [
      new ConversationDoctor(this.#options),
      new FirstBodies(),
      0,
    ];
    let found: DiagnosedBreak | undefined;
    for (const line of list) found = this.#take(line);
    return found;
  }
}
