/** A request parameter that must be a whole number of at least 1; anything else counts as absent. */
export function positiveInteger(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
