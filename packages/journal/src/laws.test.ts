import { journalLaws } from "./fixtures/journal-laws.ts";
import { memoryStore, sqliteStore } from "./fixtures/stores.ts";

journalLaws(memoryStore, 1_000);
journalLaws(sqliteStore, 1_000);
