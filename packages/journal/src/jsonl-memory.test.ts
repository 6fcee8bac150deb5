import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { it } from "vitest";

const program = fileURLToPath(new URL("fixtures/stream-jsonl.mjs", import.meta.url));

// A slow disk takes its time for so much.
it(
  "import and export hold a page, not the file, and say how far they are",
  { timeout: 300_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "promptfold-jsonl-"));
    try {
      // Twice the heap that the process is given. Young objects too: Node 24 lets them grow as far as the machine allows.
      const heap = ["--max-old-space-size=64", "--max-semi-space-size=8"];
      const args = [...heap, program, `sqlite:${join(folder, "journal.db")}`, "128"];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const said = JSON.parse(stdout) as Record<string, number>;
      assert.equal(said["events"], 32_000);
      assert.ok((said["bytes"] ?? 0) > 128_000_000 * 0.98);
      assert.ok((said["progress"] ?? 0) > 100);
      // Less than the file; how much of that is garbage depends on the Node version.
      assert.ok(
        (said["grownBy"] ?? Infinity) < 128_000_000,
        `memory grew by ${String(said["grownBy"])} bytes`,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
