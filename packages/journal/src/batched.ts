/** One call that waits for its turn. */
interface Call<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** How many calls one batch takes at most. */
const BATCH = 500;

/**
 * Turns single calls into batches: the first one runs at once, and those that arrive meanwhile run together when it has
 * ended. So a lone call waits for nothing, and many at once cost one round trip. `work` gets the items in call order and
 * gives a result for each; when it fails, all its calls do.
 */
export function batched<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  let waiting: Call<Item, Result>[] = [];
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const calls = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      try {
        const results = await work(calls.map(({ item }) => item));
        for (const [index, { resolve }] of calls.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of calls) reject(error);
      }
    }
    running = false;
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!running) void run();
    });
}
