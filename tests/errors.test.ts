import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PromptfoldError } from "@promptfold/contract";
import { describe, expect, test } from "vitest";
import { listPackages } from "./list-packages.ts";

type ErrorClass = typeof PromptfoldError;

/** The files that a package's import paths lead to, and the errors of the command, which has no importers. */
function entryFiles(): string[] {
  const entries = listPackages().flatMap(({ path, manifest }) =>
    Object.values(manifest.exports ?? {}).flatMap((target) => {
      const file = typeof target === "string" ? target : (target as { default?: string }).default;
      return file?.endsWith(".js") === true ? [join(path, file)] : [];
    }),
  );
  return [...entries, join(import.meta.dirname, "../apps/cli/dist/errors.js")];
}

/** Every error class that a package exports, by name. */
async function errorClasses(): Promise<ReadonlyMap<string, ErrorClass>> {
  const classes = new Map<string, ErrorClass>();
  for (const file of entryFiles()) {
    const exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
    for (const [name, value] of Object.entries(exported)) {
      if (typeof value === "function" && value.prototype instanceof PromptfoldError) {
        classes.set(name, value as ErrorClass);
      }
    }
  }
  return classes;
}

/** An error of a class, made without what its constructor asks for. */
function makeError(errorClass: ErrorClass): PromptfoldError {
  return Reflect.construct(PromptfoldError, ["made by a test"], errorClass) as PromptfoldError;
}

const classes = await errorClasses();

describe("the error classes of all packages", () => {
  test("are found", () => {
    expect(classes.size).toBeGreaterThanOrEqual(30);
    for (const name of ["SectionSyntaxError", "UnknownMappingError", "JournalStorageError", "UsageError"])
      expect(classes.keys()).toContain(name);
  });

  test("have a code of their own each, and nobody else has it", () => {
    const codes = [...classes.values()].map((each) => (Object.hasOwn(each, "code") ? each.code : undefined));
    expect(codes).not.toContain(undefined);
    expect(codes).not.toContain(PromptfoldError.code);
    expect(new Set(codes).size).toBe(classes.size);
  });

  test.each([...classes])("%s tells its errors from those of every other", (name, errorClass) => {
    const error = makeError(errorClass);
    expect(error).toMatchObject({ name, code: errorClass.code });
    expect(PromptfoldError.isInstance(error)).toBe(true);
    const claiming = [...classes].filter(([, each]) => each.isInstance(error)).map(([other]) => other);
    const extended = [...classes].filter(([, each]) => error instanceof each).map(([other]) => other);
    expect(claiming).toEqual(extended);
  });
});
