import { relative, resolve } from "node:path";
import { PromptfoldError } from "@promptfold/contract";
import { danglingLink, type FollowedLink } from "./follow-links.ts";

/** What the file system's commonest refusals mean for the person who named the path. */
const reasons: Readonly<Record<string, string>> = {
  EISDIR: "this is a folder; name a file in it",
  EACCES: "this user may not read it; give this user access to it",
  EPERM: "this user may not read it; give this user access to it",
  ELOOP: "its symbolic links lead in a circle; correct the link, or name the file itself",
  ENAMETOOLONG: "the name is longer than the file system allows; give a shorter one",
  EMFILE: "too many files are open in this process; close some, or raise the limit",
  ERR_FS_FILE_TOO_LARGE: "the file is too large to be read at once; split it",
  ERR_STRING_TOO_LONG: "the file is too large to be read at once; split it",
  ERR_INVALID_ARG_VALUE: "the path holds a null character; correct the path",
};

/**
 * Why the file system refused to read a path, and what to do: one line without the place. Undefined for an error that
 * does not come from the file system.
 *
 * @param wanted - what the path was taken for: `file`, `folder` or `file or folder`
 */
export function explainFileFault(error: unknown, wanted = "file"): string | undefined {
  const code = fileFaultCode(error);
  if (code === undefined) return undefined;
  if (code === "ENOENT") {
    const link = linkAtFault(error);
    return link === undefined ? `there is no such ${wanted}; check the path` : explainDangling(error, link);
  }
  if (code === "ENOTDIR") {
    return wanted === "folder"
      ? "this is a file; name a folder"
      : `there is no such ${wanted}: a part of the path is no folder; check the path`;
  }
  return (
    reasons[code] ??
    `the file system does not let it be read (${code}); check the disk, or name another ${wanted}`
  );
}

/** Whether an error says that nothing stands at a path, not even a link, or a folder where a file was wanted. */
export function isMissing(error: unknown): boolean {
  const code = fileFaultCode(error);
  return (code === "ENOENT" && linkAtFault(error) === undefined) || code === "ENOTDIR" || code === "EISDIR";
}

/** The link on the way of the path that the file system did not find. */
function linkAtFault(error: unknown): FollowedLink | undefined {
  const path = pathOf(error);
  return path === undefined ? undefined : danglingLink(path);
}

function explainDangling(error: unknown, { path, target }: FollowedLink): string {
  const named = pathOf(error);
  const which = named !== undefined && resolve(named) === path ? "this" : shortest(path);
  return `${which} is a link to ${target}, which is not there; correct the link, or make what it leads to`;
}

function pathOf(error: unknown): string | undefined {
  const { path } = error as { readonly path?: unknown };
  return typeof path === "string" ? path : undefined;
}

/** The code of an error of the file system, such as `ENOENT`. */
function fileFaultCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || PromptfoldError.isInstance(error) || !("code" in error)) return undefined;
  const { code } = error;
  if (typeof code !== "string") return undefined;
  return "syscall" in error || Object.hasOwn(reasons, code) ? code : undefined;
}

/** A path as a person can open it from here, whole when that is shorter. */
function shortest(path: string): string {
  const from = relative("", path);
  return from !== "" && from.length < path.length ? from : path;
}
