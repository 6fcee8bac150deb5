import { describe, it } from "vitest";
import { journalSuite } from "./testing/journal-suite.ts";
import { memoryStore, sqliteStore } from "./fixtures/stores.ts";

journalSuite({ describe, it }, memoryStore);
journalSuite({ describe, it }, sqliteStore);
