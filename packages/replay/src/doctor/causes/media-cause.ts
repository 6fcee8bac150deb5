import type { ExplainedCause } from "./explained-cause.ts";
import type { BlockMedia } from "../bodies/read-media.ts";

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

/** An address without its query, which signatures are put in. */
function addressOf(address: string): string {
  return address.replace(/[?#].*$/s, "");
}
