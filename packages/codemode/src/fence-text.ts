/** Puts text into a Markdown code fence longer than any run of backticks inside it, so that nothing can close it. */
export function fenceText(text: string, language: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
