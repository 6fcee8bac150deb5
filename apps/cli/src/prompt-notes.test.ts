import { describe, expect, it } from "vitest";
import { promptfold } from "./testing/run-in-process.ts";
import { temporaryFolder } from "./testing/run-promptfold.ts";
import { writeFolder } from "./testing/write-folder.ts";

function folder(files: Record<string, string>): string {
  return writeFolder({
    "config/journal.json": '{"identity": {"preferred": "Ada"}}',
    "templates/gardener.md": "You.",
    ...files,
  });
}

const note = (place: string, name: string, advice: string): string =>
  `note: ${place}: nothing is bound to ${name}; it stays as it is (${advice})\n`;
const agent = ["--journal", "sqlite:a.db", "--stream", "/agents/x"];

describe("a placeholder that nothing is bound to", () => {
  const prompt = {
    "prompts/a.md":
      "---\ninput: [{ name: topic, required: false }]\n---\n$prefered ${gardner} $Dya $topc $topic $day $Day $zebra ${zebra}",
  };
  const notes = [
    note("prompts/a.md:4:1", "$prefered", "did you mean $preferred?"),
    note("prompts/a.md:4:11", "${gardner}", "did you mean $gardener?"),
    note("prompts/a.md:4:22", "$Dya", "did you mean $day?"),
    note("prompts/a.md:4:27", "$topc", "did you mean $topic?"),
    note("prompts/a.md:4:33", "$topic", "give it with --set"),
    note("prompts/a.md:4:40", "$day", "give it with --set"),
    note("prompts/a.md:4:45", "$Day", "give it with --set"),
    note("prompts/a.md:4:50", "$zebra", "give it with --set"),
  ].join("");

  it("is told by render and append with the nearest name", async () => {
    const cwd = folder(prompt);
    expect(await promptfold(["render", "prompts/a.md"], { cwd })).toMatchObject({
      exitCode: 0,
      stderr: notes,
    });
    const appended = await promptfold(["append", ...agent, "--prompt", "prompts/a.md"], { cwd });
    expect(appended).toMatchObject({ exitCode: 0, stderr: notes });
  });

  it("is listed by vars with the nearest name", async () => {
    const cwd = folder(prompt);
    const { stdout } = await promptfold(["vars", "prompts/a.md"], { cwd });
    expect(stdout).toMatch(/\$prefered +nothing is bound to it; did you mean \$preferred\? +prompts/);
    expect(stdout).toMatch(/\$zebra +nothing is bound to it +prompts/);
    const json = await promptfold(["vars", "prompts/a.md", "--json"], { cwd });
    const { variables } = JSON.parse(json.stdout) as { variables: { name: string; near?: string }[] };
    expect(variables.flatMap(({ name, near }) => (near === undefined ? [] : [`${name} ${near}`]))).toEqual([
      "prefered preferred",
      "gardner gardener",
      "Dya day",
      "topc topic",
    ]);
  });
});

it("a file outside prompts/ is told what is not used there", async () => {
  const cwd = folder({ "prompts/a.md": "a", "loose.md": "$preferred", "plain.md": "text" });
  const outside =
    "note: loose.md: the file stands outside prompts/, so the identity and templates beside that folder are not used; " +
    "move it there, or give --identity and --templates\n";
  const notes = `${note("loose.md:1:1", "$preferred", "give it with --set")}${outside}`;
  expect((await promptfold(["render", "loose.md"], { cwd })).stderr).toBe(notes);
  expect((await promptfold(["append", ...agent, "--prompt", "loose.md"], { cwd })).stderr).toBe(notes);
  expect((await promptfold(["vars", "loose.md"], { cwd })).stderr).toBe(outside);
  expect((await promptfold(["render", "plain.md"], { cwd })).stderr).toBe("");
  const named = ["--identity", "config/journal.json", "--templates", "templates"];
  expect(await promptfold(["render", "loose.md", ...named], { cwd })).toMatchObject({
    stdout: "Ada\n",
    stderr: "",
  });
});

it("a variable that is given and not used is told with the nearest that is", async () => {
  const cwd = folder({ "prompts/a.md": "$gardener $Mood $preferred", "templates/gardener.md": "On $day." });
  const set = ["moud=x", "mood=calm", "zzz=1", "day=Friday", "dya=Monday"].flatMap((setting) => [
    "--set",
    setting,
  ]);
  const notes = [
    "note: --set moud: the prompt does not use $moud; did you mean mood?",
    "note: --set zzz: the prompt does not use $zzz; leave it out, or write it into the prompt",
    "note: --set dya: the prompt does not use $dya; did you mean day?",
    "",
  ].join("\n");
  const rendered = await promptfold(["render", "prompts/a.md", ...set], { cwd });
  expect(rendered).toMatchObject({ exitCode: 0, stdout: "On Friday. Calm Ada\n", stderr: notes });
  const appended = await promptfold(["append", ...agent, "--prompt", "prompts/a.md", ...set], { cwd });
  expect(appended).toMatchObject({ exitCode: 0, stderr: notes });
});

it("a blank message is refused, and nothing is made", async () => {
  const cwd = temporaryFolder();
  for (const message of ["", " \n"]) {
    expect(await promptfold(["append", ...agent, "--message", message], { cwd })).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "error --message: the message is blank, and no model would read it; give it a text\n",
    });
  }
  expect((await promptfold(["state", ...agent], { cwd })).exitCode).toBe(1);
});
