import { PromptfoldError } from "@promptfold/contract";
import { JournalStorageError } from "./errors.ts";

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}

/** Whether the server or the way to it is gone, so that connecting again makes sense. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error) || PromptfoldError.isInstance(error)) return false;
  const code = codeOf(error);
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET|ENOENT)/.test(code) ||
    /^(08|57P0[1-5]|53300|25P0[34])/.test(code) ||
    /connection (terminated|ended|timeout|is closed)|not queryable/i.test(error.message)
  );
}

/** Whether all of the pool's connections were in use for longer than one may wait for them; says the pool, in no code. */
function isPoolBusy(error: unknown): boolean {
  return error instanceof Error && error.message === "timeout exceeded when trying to connect";
}

/** Whether the connection was found broken before the statement was sent. */
export function isUnsent(error: unknown): boolean {
  return error instanceof Error && /not queryable/.test(error.message);
}

/**
 * Whether the transaction was rolled back, or never began, for reasons that another attempt may not meet: a conflict, no free
 * connection, or a wait that somebody or the user's `statement_timeout` or `lock_timeout` ended.
 */
export function isTransient(error: unknown): boolean {
  return /^(40001|40P01|55P03|57014)$/.test(codeOf(error)) || isPoolBusy(error);
}

/** Whether a prepared statement is not where it was prepared, or stands where it was not (SQLSTATE 26000, 42P05). */
export function isLostStatement(error: unknown): boolean {
  return /^(26000|42P05)$/.test(codeOf(error));
}

/** The typed error for what the driver threw; typed errors pass through. `where` names the server without secrets. */
export function postgresError(error: unknown, where: string): unknown {
  if (PromptfoldError.isInstance(error)) return error;
  const detail = `(${error instanceof Error ? error.message : String(error)})`;
  const code = codeOf(error);
  const failure = (reason: JournalStorageError["reason"], message: string): JournalStorageError =>
    new JournalStorageError(reason, `${where}: ${message}`, { cause: error });
  if (isConnectionLoss(error)) {
    return failure(
      "unreachable",
      `PostgreSQL cannot be reached ${detail}; see that it runs and that the URL is right`,
    );
  }
  if (/^28/.test(code))
    return failure("unreachable", `PostgreSQL refuses the user ${detail}; check user and password`);
  if (code === "3D000") return failure("missing", `the database does not exist ${detail}; create it first`);
  if (code === "42501") {
    return failure("read-only", `the user lacks a right ${detail}; grant it on the journal's schema`);
  }
  if (code === "25006") {
    return failure(
      "read-only",
      `the server or the user is set to read only ${detail}; use one that may write`,
    );
  }
  if (/^53[12]00$/.test(code))
    return failure(
      "disk-full",
      `the server has no space left ${detail}, and nothing was written; free some and try again`,
    );
  if (/^XX00[12]$/.test(code))
    return failure("corrupt", `the database is damaged ${detail}; restore a backup`);
  if (isPoolBusy(error))
    return failure(
      "busy",
      "every connection of the pool was in use for too long, and nothing was sent; try again, or raise poolSize",
    );
  if (isTransient(error))
    return failure(
      "busy",
      `others were in the way for too long, or the statement was cancelled ${detail}; try again`,
    );
  return failure("failed", `PostgreSQL failed ${detail}; see the server's log`);
}
