import type { LogLevel } from "../messages.ts";
import type { GuestBridge, GuestLimits } from "./bridge.ts";
import { formatLogged } from "./describe-thrown.ts";

// Taken before any script runs, for a script may replace what is built in.
const { stringify } = JSON;

/** Makes `console`: lines up to the limit, then a count, told from time to time and by `tellOmitted`. */
export function createConsole(
  bridge: GuestBridge,
  limits: GuestLimits,
): { methods: Record<string, unknown>; tellOmitted: () => void } {
  let left = limits.logCharacters;
  let omitted = 0;

  function writeLine(level: LogLevel, parameters: readonly unknown[]): void {
    if (left <= 0) {
      omitted += 1;
      // Told from time to time, for a script that is stopped from outside cannot tell at its end.
      if (omitted % 1000 === 0) bridge.omit(omitted);
      return;
    }
    const text = parameters.map((parameter) => formatLogged(parameter, left)).join(" ");
    const shown =
      text.length > left ? `${text.slice(0, left)}… [${text.length - left} more characters]` : text;
    // An empty line costs one character too.
    left -= shown.length + 1;
    bridge.log(level, stringify(shown));
  }

  const methods = Object.create(null) as Record<string, unknown>;
  for (const level of ["log", "info", "warn", "error", "debug"] as const) {
    methods[level] = (...parameters: unknown[]): void => {
      writeLine(level, parameters);
    };
  }
  for (const name of ["dir", "table", "trace", "group", "groupCollapsed"]) methods[name] = methods["log"];
  for (const name of ["groupEnd", "time", "timeEnd", "count", "clear"]) methods[name] = (): void => undefined;
  return {
    methods,
    tellOmitted() {
      if (omitted > 0) bridge.omit(omitted);
    },
  };
}
