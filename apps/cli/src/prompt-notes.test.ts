import { Readable } from "node:stream";
import { main } from "@promptfold/check";
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

const note = (place: string, what: string, advice: string): string =>
  `note: ${place}: ${what} and stays as it is; ${advice}\n`;
const agent = ["--journal", "sqlite:a.db", "--stream", "/agents/x"];

describe("a placeholder that nothing is bound to", () => {
  const prompt = {
    "prompts/a.md":
      "---\ninput: [{ name: topic, required: false }]\n---\n$prefered ${gardner} $Dya $topc $topic $day $Day $zebra ${zebra}",
  };
  const notes = [
    note("prompts/a.md:4:1", "$prefered is not defined", "did you mean $preferred?"),
    note("prompts/a.md:4:11", "$gardner is not defined", "did you mean $gardener?"),
    note("prompts/a.md:4:22", "$Dya is not defined", "did you mean $Day?"),
    note("prompts/a.md:4:27", "$topc is not defined", "did you mean $topic?"),
    note("prompts/a.md:4:33", "$topic is not given", "give it with --set topic=…"),
    note("prompts/a.md:4:40", "$day is not given", "give it with --set day=…"),
    note("prompts/a.md:4:45", "$Day is not given", "give it with --set day=…"),
    note("prompts/a.md:4:50", "$zebra is not defined", "declare zebra under input or add it to identity"),
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
    expect(stdout).toMatch(/\$prefered +not defined; did you mean \$preferred\? +prompts/);
    expect(stdout).toMatch(/\$zebra +not defined +prompts/);
    const json = await promptfold(["vars", "prompts/a.md", "--json"], { cwd });
    const { variables } = JSON.parse(json.stdout) as { variables: { name: string; near?: string }[] };
    expect(variables.flatMap(({ name, near }) => (near === undefined ? [] : [`${name} ${near}`]))).toEqual([
      "prefered preferred",
      "gardner gardener",
      "Dya Day",
      "topc topic",
    ]);
  });
});

it("an uppercase-first version of an input is known, and told to be given by the input's name", async () => {
  const cwd = folder({
    "prompts/a.md": "---\ninput: { o: { required: false }, q: string }\n---\n$O $Q $Day",
  });
  const { stdout } = await promptfold(["vars", "prompts/a.md"], { cwd });
  expect(stdout).toMatch(/\$O +optional string \(of \$o\) +prompts\/a\.md:4:1\n/);
  expect(stdout).toMatch(/\$Q +required string \(of \$q\) +prompts\/a\.md:4:4\n/);
  expect(stdout).toMatch(/\$Day +given when the prompt runs \(of \$day\) +prompts\/a\.md:4:7\n/);
  const set = ["--set", "q=why"];
  expect((await promptfold(["render", "prompts/a.md", ...set], { cwd })).stderr).toBe(
    note("prompts/a.md:4:1", "$O is not given", "give it with --set o=…") +
      note("prompts/a.md:4:7", "$Day is not given", "give it with --set day=…"),
  );
  expect(await promptfold(["render", "prompts/a.md", ...set, "--set", "o=x"], { cwd })).toMatchObject({
    stdout: "X Why $Day\n",
  });
});

it("vars says of a name what check and render say, and that an input is filled", async () => {
  const identity = { "e-mail": "x", pronouns: { "sub-ject": "she" }, n: 5 };
  const cwd = folder({
    "config/journal.json": JSON.stringify({ identity }),
    "prompts/a.md": "---\ninput: { n: integer }\n---\n$e-mail $pronouns_sub-ject $n",
  });
  const { stdout } = await promptfold(["vars", "prompts/a.md"], { cwd });
  const remedy = 'rename "e-mail" in identity to "e_mail", and write $e_mail';
  expect(stdout).toContain(`not defined; ${remedy}`);
  expect(stdout).toContain('not defined; rename "sub-ject" in identity.pronouns to "sub_ject"');
  expect(stdout).toMatch(/\$n +5 \(fills the declared input: integer\)/);
  expect((await promptfold(["vars", "prompts/a.md", "--json"], { cwd })).stdout).toContain(
    JSON.stringify(remedy),
  );
  expect((await promptfold(["render", "prompts/a.md"], { cwd })).stderr).toContain(remedy);
});

describe("a name that no prompt can write", () => {
  const files = {
    "config/journal.json": '{"identity": {"preferred": "Ada", "e-mail": "a@x", "gone": null}}',
    "templates/preferred-name.md": "T",
    "prompts/a.md": "$preferred_name $Gone",
    "prompts/b.md": "${e-mail} $e-mail",
  };

  it("is told with what to rename, by render and vars, and hinted at by none", async () => {
    const cwd = folder(files);
    const rename = "rename the template preferred-name.md to preferred_name.md";
    const key = 'rename "e-mail" in identity to "e_mail"';
    const nothing = "identity.gone is null, which counts as not given; give it a value";
    expect((await promptfold(["render", "prompts/a.md"], { cwd })).stderr).toBe(
      note("prompts/a.md:1:1", "$preferred_name is not defined", rename) +
        note("prompts/a.md:1:17", "$Gone is not defined", nothing),
    );
    expect((await promptfold(["render", "prompts/b.md"], { cwd })).stderr).toBe(
      `note: prompts/b.md:1:1: \${e-mail} is not a placeholder and stays as it is; ${key}, and write $e_mail (for a literal dollar write $$)\n` +
        note("prompts/b.md:1:11", "$e is not defined", `${key}, and write $e_mail`),
    );
    const { stdout } = await promptfold(["vars", "prompts/a.md"], { cwd });
    for (const row of [
      `  $e-mail          a@x  cannot be used; ${key}`,
      `  $preferred-name  cannot be used; ${rename}`,
      `  $preferred_name  not defined; ${rename}  prompts/a.md:1:1`,
      `  $Gone            not defined; ${nothing}  prompts/a.md:1:17`,
    ])
      expect(stdout.replaceAll(/(?<=\S.*) {2,}/g, "  ")).toContain(row.replaceAll(/(?<=\S.*) {2,}/g, "  "));
  });

  it("is refused by --set, with one rule in every command", async () => {
    const cwd = folder(files);
    for (const command of ["check", "render", "vars", "append"]) {
      const call = command === "append" ? [...agent, "--prompt", "prompts/a.md"] : ["prompts/a.md"];
      for (const [given, name] of [
        ["$zed", "zed"],
        ["e-mail", "e_mail"],
        ["2nd", "_2nd"],
      ]) {
        const { stdout, stderr, exitCode } = await promptfold([command, ...call, "--set", `${given}=1`], {
          cwd,
        });
        expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
        expect(stderr).toContain(
          `"${given}" is no variable's name (letters, digits and underscores, no digit first); write ${name}`,
        );
      }
    }
  });
});

it("a placeholder that is not closed is told by render", async () => {
  const cwd = folder({ "prompts/a.md": "$t $t $preferred", "templates/t.md": "to ${preferred and" });
  expect(await promptfold(["render", "prompts/a.md"], { cwd })).toMatchObject({
    stdout: "to ${preferred and to ${preferred and Ada\n",
    stderr:
      "note: templates/t.md:1:4: ${preferred is not closed and stays as it is; write ${preferred} (for a literal dollar write $$)\n",
  });
});

it("a section that comes in twice is told at the prompt's second use of it", async () => {
  const cwd = folder({
    "templates/rules.md": '<section key="rules">\nr\n</section>',
    "templates/style.md": "$rules",
    "prompts/a.md": "$rules\n\n$style",
  });
  expect(await promptfold(["append", ...agent, "--prompt", "prompts/a.md"], { cwd })).toEqual({
    exitCode: 1,
    stdout: "",
    stderr:
      'error prompts/a.md:3:1: section "rules" of templates/rules.md:1 comes in twice, through $rules at line 1 and through $style here, and an agent would keep only the last; use it once\n',
  });
});

it("the two commands that check take the same options", async () => {
  const cwd = folder({ "prompts/a.md": "$preferred" });
  let usage = "";
  const write = (text: string): unknown => (usage += text);
  await main(["--help"], { stdin: Readable.from([]), stdout: { write }, stderr: { write }, env: {} });
  const optionsOf = (text: string): string[] =>
    [...text.matchAll(/^ +(?:-\w, )?(--[a-z]+)/gm)].map(([, option = ""]) => option).sort();
  const help = await promptfold(["check", "--help"], { cwd });
  expect(optionsOf(usage)).toContain("--json");
  // A command of a program has the program's version.
  expect(optionsOf(usage).filter((option) => option !== "--version")).toEqual(optionsOf(help.stdout));
});

it("a file outside prompts/ is told what is not used there", async () => {
  const cwd = folder({ "prompts/a.md": "a", "loose.md": "$preferred", "plain.md": "text" });
  const outside =
    "note: loose.md: the file stands outside prompts/, so the identity and templates beside that folder are not used; " +
    "move it there, or give --identity and --templates\n";
  const notes = `${note("loose.md:1:1", "$preferred is not defined", "give it with --set preferred=…")}${outside}`;
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

it("a note on a file shows its name as text, whatever a terminal would make of it", async () => {
  const cwd = folder({ "prompts/a.md": "a", "\u001b[31mloose.md": "$preferred" });
  for (const command of ["render", "vars"]) {
    const { stderr } = await promptfold([command, "\u001b[31mloose.md"], { cwd });
    expect(stderr).toContain("note: \\u001b[31mloose.md: the file stands outside prompts/");
    expect(stderr).not.toContain("\u001b");
  }
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
