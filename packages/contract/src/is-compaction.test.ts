import { expect, it } from "vitest";
import { isCompaction, Role } from "./index.ts";

it.each(Role.options)("only a developer's item may compact: %s", (role) => {
  const item = { role, content: "What happened so far" };
  expect(isCompaction(item)).toBe(false);
  expect(isCompaction({ ...item, compaction: { replacesHistoryThrough: 3 } })).toBe(role === "developer");
});
