import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { shownUrl } from "./input/journal-input.ts";
import { promptfold } from "./testing/run-in-process.ts";
import { temporaryFolder } from "./testing/run-promptfold.ts";

it("tells an author what nothing is bound to before it reaches an agent", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "prompt.md"), "Hello $prefered, costs $$5.\n");
  const args = ["append", "--journal", "sqlite:a.db", "--stream", "/agents/x", "--prompt", "prompt.md"];
  const { exitCode, stdout, stderr } = await promptfold(args, { cwd });
  expect(exitCode).toBe(0);
  expect(stdout).toBe("/agents/x: 3 events, @1 to @3\n");
  expect(stderr).toBe(
    "note: prompt.md:1:7: $prefered is not defined and stays as it is; give it with --set prefered=…\n",
  );
});

it("names both places of a key that occurs twice, and appends nothing", async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "prompts"));
  mkdirSync(join(cwd, "templates"));
  writeFileSync(join(cwd, "templates", "t.md"), 'x\n <section key="a">A</section>');
  writeFileSync(join(cwd, "prompts", "p.md"), '---\ntitle: T\n---\n<section key="a">A</section>\n$t');
  const agent = ["--journal", "sqlite:a.db", "--stream", "/agents/x"];
  const ended = await promptfold(["append", ...agent, "--prompt", "prompts/p.md"], { cwd });
  expect(ended).toMatchObject({ exitCode: 1, stdout: "" });
  expect(ended.stderr).toBe(
    'error prompts/p.md:5:1: section "a" of templates/t.md:2 is already defined at line 4, and an agent would keep only the last; ' +
      "rename one or join them\n",
  );
  writeFileSync(join(cwd, "prompts", "p.md"), 'text\n<section key="b">B</section>\n  more');
  const outside = await promptfold(["append", ...agent, "--prompt", "prompts/p.md"], { cwd });
  expect(outside.stderr).toMatch(/^error prompts\/p\.md:3:\d: section "p" is already defined at line 1,/);
  expect((await promptfold(["state", ...agent], { cwd })).stderr).toContain("holds no stream");
});

it("names files the same from every working folder, and in errors as they can be opened", async () => {
  const cwd = temporaryFolder();
  for (const name of ["garden/prompts/sub", "garden/templates"])
    mkdirSync(join(cwd, name), { recursive: true });
  writeFileSync(join(cwd, "garden/prompts/p.md"), "p $t");
  writeFileSync(join(cwd, "garden/prompts/sub/s.md"), "s");
  writeFileSync(join(cwd, "garden/templates/t.md"), '<section key="t">T</section>');
  writeFileSync(join(cwd, "alone.md"), "alone");
  symlinkSync("garden/prompts", join(cwd, "link"));
  let streams = 0;
  const origins = async (path: string, from = "."): Promise<string[]> => {
    streams += 1;
    const agent = ["--journal", `sqlite:${join(cwd, "a.db")}`, "--stream", `/${streams}`, "--json"];
    const ended = await promptfold(["append", ...agent, "--prompt", path], { cwd: join(cwd, from) });
    const events = JSON.parse(ended.stdout) as { payload: { origin?: { file: string } } }[];
    return events.flatMap(({ payload }) => payload.origin?.file ?? []);
  };
  const expected = ["prompts/p.md", "templates/t.md"];
  expect(await origins("garden/prompts/p.md")).toEqual(expected);
  expect(await origins("p.md", "garden/prompts")).toEqual(expected);
  expect(await origins("../p.md", "garden/prompts/sub")).toEqual(expected);
  expect(await origins(join(cwd, "garden/prompts/p.md"))).toEqual(expected);
  expect(await origins("link/p.md")).toEqual(expected);
  expect(await origins("garden/prompts/sub/s.md")).toEqual(["prompts/sub/s.md"]);
  expect(await origins("alone.md")).toEqual(["alone.md"]);
  expect(await origins("../alone.md", "garden")).toEqual(["alone.md"]);
  const { stdout } = await promptfold(["render", "garden/prompts/p.md", "--explain"], { cwd });
  expect(stdout).toMatch(/^garden\/prompts\/p\.md:1:1 .*\ngarden\/templates\/t\.md:1:1 /);
});

it("gives an agent the request parameters of its prompt, and refuses what is none", async () => {
  const cwd = temporaryFolder();
  const agent = ["--journal", "sqlite:a.db", "--stream", "/agents/x"];
  const append = (): ReturnType<typeof promptfold> =>
    promptfold(["append", ...agent, "--prompt", "p.md"], { cwd });
  writeFileSync(join(cwd, "p.md"), "---\nmax_output_tokens: lots\n---\nHello.\n");
  const refused = await append();
  expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
  expect(refused.stderr).toMatch(/^error p\.md:2:\d+: the frontmatter's max_output_tokens /);
  expect((await promptfold(["state", ...agent], { cwd })).stderr).toContain("holds no stream");
  writeFileSync(join(cwd, "p.md"), "---\nmax_output_tokens: 800\nthinking_budget: 100\n---\nHello.\n");
  expect(await append()).toMatchObject({ exitCode: 0, stderr: "" });
  const { stdout } = await promptfold(["state", ...agent, "--json"], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({
    state: { config: { parameters: { maxOutputTokens: 800, thinkingBudget: 100 } } },
  });
});

it("reads events behind a byte-order mark", async () => {
  const cwd = temporaryFolder();
  const event = { type: "agents/context-added", payload: { role: "user", content: "hi" } };
  writeFileSync(join(cwd, "e.jsonl"), `\ufeff${JSON.stringify(event)}\r\n`);
  const args = ["append", "--journal", "sqlite:a.db", "--stream", "/agents/x", "--events", "e.jsonl"];
  expect(await promptfold(args, { cwd })).toMatchObject({ exitCode: 0, stdout: "/agents/x: 1 event, @1\n" });
});

it("shows no control character of an event that is skipped", async () => {
  const cwd = temporaryFolder();
  const createdAt = "2026-03-02T09:00:00.000Z";
  const events = [
    { offset: 1, type: "agents/context-added", payload: { role: "user", content: "hi" }, createdAt },
    { offset: 2, type: "x/\u001b[31mred", payload: {}, createdAt },
  ];
  writeFileSync(join(cwd, "events.jsonl"), events.map((event) => JSON.stringify(event)).join("\n"));
  const { exitCode, stderr } = await promptfold(["request", "--events", "events.jsonl", "--at", "2"], {
    cwd,
  });
  expect(exitCode).toBe(0);
  expect(stderr).toContain("unknown event x/");
  expect(stderr).not.toContain("\u001b");
});

it.each([
  ["postgres://app:secret@db.internal/agents", "postgres://app:***@db.internal/agents"],
  ["postgres://app:p@ss:w@db.internal/agents", "postgres://app:***@db.internal/agents"],
  ["postgres://app@db.internal:5432/agents?a=b@c", "postgres://app@db.internal:5432/agents?a=b@c"],
  [
    "postgres://db/agents?user=app&password=secret&schema=x",
    "postgres://db/agents?user=app&password=***&schema=x",
  ],
  ["postgres://app@db.internal/agents", "postgres://app@db.internal/agents"],
  ["sqlite:a:b@c.db", "sqlite:a:b@c.db"],
])("shows %s as %s", (url, shown) => {
  expect(shownUrl(url)).toBe(shown);
});
