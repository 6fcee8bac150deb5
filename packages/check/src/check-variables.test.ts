import { describe, expect, it } from "vitest";
import { findFaults, identityFile } from "./testing/find-faults.ts";

describe("a placeholder that is not closed", () => {
  it("is told with what to write, and code in braces is told as before", async () => {
    const malformed = (column: number, what: string): string =>
      `prompts/a.md:1:${column} warning malformed-placeholder: ${what}`;
    const text = "${preferred and ${ go $${ok ${a $preferred} ${";
    expect(await findFaults({ ...identityFile({ preferred: "Ada" }), "prompts/a.md": text })).toEqual([
      malformed(1, "${preferred is not closed and stays as it is; write ${preferred}"),
      malformed(17, "${ go is not closed and stays as it is; write ${go}"),
      malformed(29, "${a is not closed and stays as it is; write ${a}"),
    ]);
  });
});
