import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJournal } from "../open-journal.ts";
import type { StoreUnderTest } from "./subject.ts";

/** The memory store, for the suite. */
export const memoryStore: StoreUnderTest = {
  name: "memory",
  shared: false,
  create: () => Promise.resolve({ open: (options) => openJournal("memory:", options) }),
};

/** The SQLite store, for the suite: each test gets a file in a folder of its own. */
export const sqliteStore: StoreUnderTest = {
  name: "SQLite",
  shared: true,
  create() {
    const folder = mkdtempSync(join(tmpdir(), "promptfold-journal-"));
    return Promise.resolve({
      open: (options) => openJournal(`sqlite:${join(folder, "journal.db")}`, options),
      remove: () => rm(folder, { recursive: true, force: true }),
    });
  },
};
