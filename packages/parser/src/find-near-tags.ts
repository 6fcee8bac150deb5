/** Text that looks like a section tag and is none. Offsets count from 0. */
export interface NearTag {
  readonly offset: number;
  readonly end: number;
  /** What is wrong and what to do. */
  readonly message: string;
}

/**
 * Finds what an author most likely meant as a section tag and what the grammar takes for text: another case
 * (`<Section key="x">`), white space inside (`< section>`, `</ section>`), white space that is none of the grammar's (a
 * no-break space after `<section`), and a closing tag without its `>`. What stands in a code fence or between backticks is
 * code, where such words are somebody else's tags. Linear in the text.
 */
export function findNearTags(text: string): NearTag[] {
  const found: NearTag[] = [];
  let isCode: ((offset: number) => boolean) | undefined;
  for (const match of text.matchAll(/<[ \t]{0,8}\/?[ \t]{0,8}section(?![\w.-])/gi)) {
    const [raw] = match;
    const end = match.index + raw.length;
    if (!isNear(text, raw, end)) continue;
    isCode ??= findCode(text);
    if (isCode(match.index)) continue;
    const wanted = raw.includes("/") ? "</section>" : '<section key="…">';
    const message = `${raw} is no section tag here and stays as text; write ${wanted}, or put it between backticks to mention it`;
    found.push({ offset: match.index, end, message });
  }
  return found;
}

function isNear(text: string, raw: string, end: number): boolean {
  const after = text.slice(end, end + 1);
  if (raw === "<section") return after !== "" && /[^\S \t\r\n]/.test(after);
  const closes = /^[ \t\r\n]*>/.test(text.slice(end, end + 100));
  if (raw === "</section") return !closes;
  // Words apart may be a comparison in prose: a bracket or a key says that they are not.
  if (/\s/.test(raw)) return closes || /^\s+key\s*=/.test(text.slice(end, end + 100));
  return after === "" || /[\s>/]/.test(after);
}

const LONGEST_LINE = 500;

/** Tells what stands in a code fence or, on one line, between backticks. */
function findCode(text: string): (offset: number) => boolean {
  const fences: (readonly [from: number, to: number])[] = [];
  let open: { readonly at: number; readonly fence: string } | undefined;
  for (const { 1: fence = "", index } of text.matchAll(/^[ \t]*(`{3,}|~{3,})/gm)) {
    if (open === undefined) open = { at: index, fence };
    else if (fence.startsWith(open.fence)) {
      fences.push([open.at, index]);
      open = undefined;
    }
  }
  if (open !== undefined) fences.push([open.at, text.length]);
  let next = 0;
  return (offset) => {
    // Offsets are asked for in order.
    while ((fences[next]?.[1] ?? Infinity) < offset) next += 1;
    if ((fences[next]?.[0] ?? Infinity) <= offset) return true;
    // A bound on the line keeps the time linear in the text.
    const before =
      text
        .slice(Math.max(0, offset - LONGEST_LINE), offset)
        .split("\n")
        .at(-1) ?? "";
    const line = text.slice(offset, offset + LONGEST_LINE).split("\n", 1)[0] ?? "";
    return before.split("`").length % 2 === 0 && line.includes("`");
  };
}
