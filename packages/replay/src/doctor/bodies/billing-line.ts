/**
 * The line by which Claude Code tells who pays, at the top of its system text: with a digest that is another one in
 * each request. Anthropic's own servers pass it over; all others read it as text.
 */
const billingLine = /^x-anthropic-billing-header:[^\n]*/;

/** The billing line that a text begins with, or undefined. */
export function findBillingLine(text: string): string | undefined {
  return billingLine.exec(text)?.[0];
}

/** A text without what varies in its billing line. */
export function withoutBilling(text: string): string {
  return text.replace(billingLine, "x-anthropic-billing-header:");
}
