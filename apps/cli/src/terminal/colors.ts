import picocolors from "picocolors";

/** Functions that colour text, or leave it alone. */
export type Colors = ReturnType<typeof picocolors.createColors>;

/** Colours for one output: only on a terminal, never with NO_COLOR, always with FORCE_COLOR. */
export function colorsFor(output: { readonly isTTY?: boolean }): Colors {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  const isWanted = isSet(FORCE_COLOR) || (output.isTTY === true && TERM !== "dumb");
  return picocolors.createColors(!isSet(NO_COLOR) && isWanted);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0";
}
