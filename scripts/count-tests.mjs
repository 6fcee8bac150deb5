/**
 * Counts the tests in what vitest's JSON reporter wrote. A file that failed without any of its tests having failed (it could
 * not be loaded, say) counts as one failure, and so does a run that failed for a reason of its own.
 *
 * @param {string | undefined} json the report, or nothing when vitest wrote none
 * @param {number} exitCode of the run
 * @returns {import("./report-steps.mjs").Counts}
 */
export function countTests(json, exitCode) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of json === undefined ? [] : JSON.parse(json).testResults) {
    const failedBefore = counts.failed;
    for (const { status } of file.assertionResults) {
      if (status === "passed") counts.passed += 1;
      else if (status === "failed") counts.failed += 1;
      else counts.skipped += 1;
    }
    if (file.status === "failed" && counts.failed === failedBefore) counts.failed += 1;
  }
  if (exitCode !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}
