import type { BodyBlock, PrefixBreak } from "@promptfold/renderer";
import type { BlockMedia } from "../bodies/read-media.ts";
import type { ExplainedCause } from "./explained-cause.ts";
import { changedFields } from "./field-cause.ts";

/** Whether two blocks differ in an image, a clip or a file alone. */
export function mediaCause(
  before: BlockMedia | undefined,
  after: BlockMedia | undefined,
  path: string,
): ExplainedCause | undefined {
  if (before === undefined || after === undefined || before.rest !== after.rest) return undefined;
  const at = before.list.findIndex(({ label }, index) => label !== after.list[index]?.label);
  const [old, now] = [before.list[at], after.list[at]];
  if (old === undefined || now === undefined) return undefined;
  if (
    old.address !== undefined &&
    now.address !== undefined &&
    addressOf(old.address) === addressOf(now.address)
  ) {
    return {
      cause: "varying-id",
      detail: `the address of the ${old.kind} at ${path} has another signature or query in this request`,
    };
  }
  return {
    cause: "media-changed",
    detail: `another ${now.kind} stands at ${path}, or the same one encoded anew`,
  };
}

/** Whether an image, a clip or a file is the same, and what stands beside it in its part is not. */
export function besideMediaCause(
  before: BlockMedia | undefined,
  after: BlockMedia | undefined,
  { previous, next }: PrefixBreak,
): ExplainedCause | undefined {
  const label = before?.list[0]?.label;
  if (label === undefined || label !== after?.list[0]?.label) return undefined;
  const beside = (block: BodyBlock | undefined): BodyBlock | undefined => {
    if (block?.text.startsWith(label) !== true) return undefined;
    return { ...block, shape: "field", text: block.text.slice(label.length + 1) || "{}" };
  };
  const [old, now] = [beside(previous), beside(next)];
  return old && now && changedFields(old, now);
}

/** An address without its query, which signatures are put in. */
function addressOf(address: string): string {
  return address.replace(/[?#].*$/s, "");
}
