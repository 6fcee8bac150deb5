import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { listPackages, root } from "./list-packages.ts";

const text = readFileSync(join(root, "docs/claims.md"), "utf8");
const commands = [...text.matchAll(/`((?:npm run|npx|promptfold) [^`]+)`/g)].map(
  ([, command = ""]) => command,
);

it("every claim names a command that exists", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  expect(commands.length).toBeGreaterThan(15);
  for (const command of commands) {
    const [, , script = "", , name = ""] = command.split(" ");
    if (!command.startsWith("npm run")) continue;
    expect(scripts, command).toHaveProperty(script);
    if (script === "bench") expect(existsSync(join(root, `bench/${name}.mjs`)), command).toBe(true);
  }
});

it("every claim that a test proves names a test file that exists", () => {
  const runs = commands.filter((command) => command.startsWith("npx vitest"));
  const packages = listPackages();
  for (const command of runs) {
    const [, project, name] = /--project (\S+)(?: (\S+))?$/.exec(command) ?? [];
    const owner = packages.find(({ manifest }) => manifest.name === project);
    expect(owner, command).toBeDefined();
    if (name === undefined || owner === undefined) continue;
    const source = join(owner.path, "src");
    const files = readdirSync(existsSync(source) ? source : owner.path, {
      recursive: true,
      encoding: "utf8",
    });
    expect(
      files.map((file) => basename(file)),
      command,
    ).toContain(`${name}.test.ts`);
  }
});
