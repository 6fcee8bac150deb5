export { journalSuite } from "./journal-suite.ts";
export type { StoreUnderTest, TestRunner, TestStore } from "./subject.ts";
