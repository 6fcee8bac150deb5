/** The most requests that must end before a summary is asked for again, and while requests do not fit. */
const LONGEST_WAIT = 32;
const LONGEST_WAIT_IF_STUCK = 8;

/**
 * How often a summary that comes to nothing is asked for again: after the first such call one request has to end, after
 * the second two, then four, and so on up to a limit. Counted in requests that ended, whatever way.
 */
export class SummaryPace {
  #failures = 0;
  #triedAt: number | undefined;

  /** Whether a call is allowed after so many requests have ended. A lower limit holds while requests do not fit. */
  allows(endedRequests: number, isStuck: boolean): boolean {
    if (this.#triedAt === undefined) return true;
    const wait = 2 ** Math.max(this.#failures - 1, 0);
    return endedRequests - this.#triedAt >= Math.min(wait, isStuck ? LONGEST_WAIT_IF_STUCK : LONGEST_WAIT);
  }

  /** A call failed, or brought what cannot stand for history. */
  failed(endedRequests: number): void {
    this.#failures++;
    this.#triedAt = endedRequests;
  }

  /** A call was given up through no fault of its own. */
  gaveUp(endedRequests: number): void {
    this.#triedAt = endedRequests;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#triedAt = undefined;
  }
}
