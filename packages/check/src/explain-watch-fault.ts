import { explainFileFault } from "@promptfold/templating/node";
import { CheckPathError } from "./errors.ts";

/** An error of the file system in a watch as one line that says what to do; any other stays as it is. */
export function explainWatchFault(error: unknown): unknown {
  const { code, path = "watch" } = error as { readonly code?: unknown; readonly path?: unknown };
  const reason =
    code === "ENOSPC"
      ? "the system lets no more files be watched; end other watches, or raise fs.inotify.max_user_watches"
      : explainFileFault(error, "file or folder");
  return reason === undefined ? error : new CheckPathError(String(path), reason, { cause: error });
}
