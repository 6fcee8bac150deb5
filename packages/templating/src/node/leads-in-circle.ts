import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

/**
 * Whether a path ends in a link to a folder that the path leads through already, to one around it, or to itself: whoever
 * follows it goes in a circle, or reads what the link's folder does not hold.
 */
export function leadsInCircle(path: string): boolean {
  try {
    const real = realpathSync.native(path);
    const folder = dirname(resolve(path));
    if (real === join(realpathSync.native(folder), basename(path))) return false;
    const around = real.endsWith(sep) ? real : real + sep;
    for (let at = folder, above = dirname(at); ; at = above, above = dirname(at)) {
      if (`${realpathSync.native(at)}${sep}`.startsWith(around)) return true;
      if (at === above) return false;
    }
  } catch (error) {
    // A link to itself; what else is wrong is for whoever reads the path.
    return error instanceof Error && "code" in error && error.code === "ELOOP";
  }
}
