import { describe, it, vi } from "vitest";
import { journalSuite } from "./testing/journal-suite.ts";
import { memoryStore, sqliteStore } from "./fixtures/stores.ts";

// Generous: a machine that does other work at the same time must not fail a law.
vi.setConfig({ testTimeout: 60_000 });

journalSuite({ describe, it }, memoryStore);
journalSuite({ describe, it }, sqliteStore);
