/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {"passed" | "failed" | "skipped"} outcome
 * @property {string} note how long it took, or why it did not run
 * @property {Counts} [tests] what the step counted itself; without it the step counts as one
 */

/**
 * Every step on a line of its own, then the counts.
 *
 * @param {readonly Step[]} steps
 * @returns {string[]} the last line is `N passed, N failed, N skipped`
 */
export function reportSteps(steps) {
  const width = Math.max(...steps.map((step) => step.name.length));
  const lines = steps.map(({ name, outcome, note, tests }) => {
    const inside = tests ? ` (${countsLine(tests)})` : "";
    return `${name.padEnd(width)}  ${outcome.padEnd(7)}  ${note}${inside}`;
  });
  return [...lines, "", countsLine(countSteps(steps))];
}

/** @param {Counts} counts */
export function countsLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/**
 * @param {readonly Step[]} steps
 * @returns {Counts}
 */
export function countSteps(steps) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome, tests } of steps) {
    const counts = tests ?? { passed: 0, failed: 0, skipped: 0, [outcome]: 1 };
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
  }
  return total;
}
