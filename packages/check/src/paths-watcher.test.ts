import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PathsWatcher } from "./paths-watcher.ts";

const root = mkdtempSync(join(tmpdir(), "promptfold-paths-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});

/** A watch whose next event a test can wait for. */
function watchOne(path: string) {
  const errors: unknown[] = [];
  let wake = (): void => undefined;
  const onEvent = (): void => {
    wake();
  };
  const watcher = new PathsWatcher([path], { onEvent, onError: (error) => errors.push(error) });
  return { watcher, errors, next: () => new Promise<void>((resolve) => (wake = resolve)) };
}

describe("PathsWatcher", () => {
  const links: readonly [what: string, watched: string, link: string, target: string, file: string][] = [
    ["a link", "linked", "linked", "real/target", "t.md"],
    ["a folder in a linked one", "linked/inner", "linked", "real/target", "inner/t.md"],
    ["a link in a folder", "folder", "folder/linked", "real/target", "t.md"],
    ["a linked file in a folder", "folder", "folder/t.md", "real/t.md", ""],
    ["a link to a link", "linked", "linked", "second", "t.md"],
  ];

  it.each(links)(
    "sees the return of what was gone when the watch began anew: %s",
    async (_, watched, link, target, file) => {
      const dir = mkdtempSync(join(root, "x-"));
      mkdirSync(join(dir, "folder"));
      symlinkSync("third/target", join(dir, "second"));
      symlinkSync(join(dir, target), join(dir, link));
      const real = join(dir, target === "second" ? "third/target" : target, file);
      const write = (): void => {
        mkdirSync(dirname(real), { recursive: true });
        writeFileSync(real, "x");
      };
      write();
      const { watcher, errors, next } = watchOne(join(dir, watched));
      const begun = next();
      await watcher.renew();
      await begun;
      for (let round = 0; round < 2; round += 1) {
        const gone = next();
        for (const name of ["real", "third"]) rmSync(join(dir, name), { recursive: true, force: true });
        await gone;
        await watcher.renew();
        const back = next();
        write();
        await back;
        const again = next();
        await watcher.renew();
        await again;
      }
      await watcher.close();
      expect(errors).toEqual([]);
    },
  );
});
