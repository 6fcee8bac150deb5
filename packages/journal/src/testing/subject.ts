import type { Clock } from "../clock.ts";
import type { CommittedEvent, Journal, NewEvent, ReadOptions, Source } from "../journal.ts";

/** How a test runner registers tests: `describe` and `it` of vitest, jest, mocha or node:test all fit. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/** One empty place for events, such as a new file or a new database. */
export interface TestStore {
  /** Opens a journal on it. For a shared store each call gives another connection to the same events. */
  open(options?: { readonly clock?: Clock | undefined }): Promise<Journal>;
  /** Removes it; open journals are closed already. */
  remove?(): Promise<void>;
}

/** The store under test. */
export interface StoreUnderTest {
  readonly name: string;
  /** Makes a new, empty place. */
  create(): Promise<TestStore>;
  /** Whether several journals can be open on one place, and events outlive them. */
  readonly shared: boolean;
}

/** What a test of the suite works with; everything that it opened is closed and removed afterwards. */
export interface TestContext {
  open(options?: { readonly clock?: Clock | undefined }): Promise<Journal>;
}

/** Registers one test with a store of its own. */
export type StoreTest = (name: string, body: (context: TestContext) => Promise<void>) => void;

/** A function that registers tests which each get a new store. */
export function createStoreTest(runner: TestRunner, subject: StoreUnderTest): StoreTest {
  return (name, body) => {
    runner.it(name, () => withStore(subject, body));
  };
}

/** Runs a function on a new store and cleans up. */
async function withStore(
  subject: StoreUnderTest,
  body: (context: TestContext) => Promise<void>,
): Promise<void> {
  const store = await subject.create();
  const opened: Journal[] = [];
  try {
    await body({
      async open(options) {
        const journal = await store.open(options);
        opened.push(journal);
        return journal;
      },
    });
  } finally {
    for (const journal of opened) await journal.close();
    await store.remove?.();
  }
}

/** A source for tests. */
export const INSIDE: Source = { processor: "test", trust: "inside" };

/** `count` numbered events. */
export function numbered(count: number, from = 1): NewEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    type: "test/numbered",
    payload: { n: from + index },
  }));
}

/** All events of a stream, in one array. */
export async function readAll(
  journal: Pick<Journal, "read">,
  stream: string,
  options?: ReadOptions,
): Promise<CommittedEvent[]> {
  const events: CommittedEvent[] = [];
  for await (const page of journal.read(stream, options)) events.push(...page);
  return events;
}

/** The first `count` events of a subscription, which then ends. */
export async function take(events: AsyncIterable<CommittedEvent>, count: number): Promise<CommittedEvent[]> {
  const taken: CommittedEvent[] = [];
  if (count === 0) return taken;
  for await (const event of events) if (taken.push(event) === count) break;
  return taken;
}
