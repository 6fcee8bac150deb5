import { appendSuite } from "./append-suite.ts";
import { processorSuite } from "./processor-suite.ts";
import { readSuite } from "./read-suite.ts";
import { restoreSuite } from "./restore-suite.ts";
import { sharedSuite } from "./shared-suite.ts";
import { subscribeSuite } from "./subscribe-suite.ts";
import { createStoreTest, type StoreUnderTest, type TestRunner } from "./subject.ts";

/**
 * Registers the conformance suite: what every journal does, whatever its store. Works with any runner that has
 * `describe` and `it`; assertions are Node's own. Each test gets a new, empty store.
 */
export function journalSuite(runner: TestRunner, subject: StoreUnderTest): void {
  const suites = {
    append: appendSuite,
    read: readSuite,
    subscribe: subscribeSuite,
    processors: processorSuite,
  };
  runner.describe(`journal on ${subject.name}`, () => {
    const test = createStoreTest(runner, subject);
    for (const [name, suite] of Object.entries({ ...suites, restore: restoreSuite })) {
      runner.describe(name, () => {
        suite(test);
      });
    }
    if (subject.shared) {
      runner.describe("shared", () => {
        sharedSuite(test);
      });
    }
  });
}
