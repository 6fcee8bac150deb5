import { journalLaws } from "./fixtures/journal-laws.ts";
import { memoryStore, sqliteStore } from "./fixtures/stores.ts";

journalLaws(memoryStore);
journalLaws(sqliteStore);
