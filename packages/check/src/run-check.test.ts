import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { main } from "./main.ts";
import { writeFolder } from "./testing/write-folder.ts";

const config = {
  "config/journal.json": '{"identity": {"preferred": "Ada"}}',
  "templates/gardener.md": "You garden.",
  "prompts/week.md": "$gardener $preferred",
};

class Output {
  out = "";
  err = "";

  run(
    args: readonly string[],
    onWrite: (output: Output) => void = () => undefined,
    signal?: AbortSignal,
  ): Promise<number> {
    return main(args, {
      stdin: Readable.from([]),
      stdout: {
        write: (text) => {
          this.out += text;
        },
      },
      stderr: {
        write: (text) => {
          this.err += text;
          onWrite(this);
        },
      },
      env: {},
      signal,
    });
  }
}

describe("standard error", () => {
  it("names what reads like a prompt outside prompts/, and was not checked", async () => {
    const dir = writeFolder({
      ...config,
      "loose.md": "Write to $preferred.",
      "preview.md": "Write to Ada, $5.",
      "shell.md": "echo $HOME",
      "README.md": "Use $gardener.",
      "Readme.md": "Use $gardener.",
      "notes/other.md": "$preferred",
    });
    const output = new Output();
    expect(await output.run([dir])).toBe(0);
    expect(output.out).toBe("3 files checked: nothing found\n");
    expect(output.err).toBe(
      `note: ${join(dir, "loose.md")} names variables as a prompt does, and was not checked: it stands outside prompts/; move it there if it is one\n`,
    );
    const named = new Output();
    await named.run([dir, join(dir, "loose.md")]);
    expect(named.err).toBe("");
  });

  it("tells of a check without annotations that it was made", async () => {
    const clean = new Output();
    await clean.run([writeFolder(config), "--format", "github"]);
    expect(clean).toMatchObject({ out: "", err: "3 files checked: nothing found\n" });
    const faulty = new Output();
    await faulty.run([writeFolder({ "prompts/a.md": "$x" }), "--format", "github"]);
    expect(faulty.out).toMatch(/^::error .*\n$/);
    expect(faulty.err).toBe("");
  });

  it("separates one check of a watch from the next", async () => {
    const dir = writeFolder(config);
    const output = new Output();
    const end = new AbortController();
    let written = false;
    const watching = output.run(
      [dir, "--watch"],
      ({ err }) => {
        if (err.split("watching for changes").length === 3) end.abort();
        if (written || !err.includes("watching for changes")) return;
        written = true;
        writeFileSync(join(dir, "prompts/week.md"), "$gardener for $preferred");
      },
      end.signal,
    );
    expect(await watching).toBe(0);
    expect(output.err).toBe("watching for changes\n── changed ──\nwatching for changes\n");
  });
});
