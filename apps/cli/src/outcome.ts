/** How a command ended that did not fail: its exit code, 0 unless it says otherwise. */
export interface Outcome {
  exitCode: number;
}
