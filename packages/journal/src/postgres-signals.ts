import { setImmediate as nextTurn } from "node:timers/promises";
import { JournalStorageError } from "./errors.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { Watchers } from "./watchers.ts";

/** A wake-up message holds stream names up to this length; beyond it says "look everywhere". PostgreSQL's limit is 8,000 bytes. */
const MESSAGE_BYTES = 7_000;

/** How often to look for commits whose wake-up got lost, and to connect again, in milliseconds. */
const CATCH_UP_MS = 500;

type Client = Awaited<ReturnType<PostgresConnection["connectAlone"]>>;

/**
 * Wake-ups between processes: after a commit the names of its streams go out by NOTIFY, never the events. They are sent
 * beside the append, on a connection of their own, since a NOTIFY inside it would make all commits wait for one another. A
 * wake-up that is lost costs time only: those who watch also look for themselves.
 */
export class PostgresSignals {
  readonly #connection: PostgresConnection;
  readonly #watchers: Watchers;
  readonly #catchUp: () => Promise<void>;
  readonly #onListen: () => void;
  readonly #outgoing = new Set<string>();
  #client: Promise<Client | undefined> | undefined;
  #listening = false;
  #sending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** `onListen` hears of each time that listening began anew, perhaps at another server. */
  constructor(
    connection: PostgresConnection,
    watchers: Watchers,
    catchUp: () => Promise<void>,
    onListen: () => void,
  ) {
    this.#connection = connection;
    this.#watchers = watchers;
    this.#catchUp = catchUp;
    this.#onListen = onListen;
  }

  /** Tells other processes that the stream has new events; several streams share one message. */
  announce(stream: string): void {
    this.#outgoing.add(stream);
    this.#sending ??= this.#send();
  }

  async #send(): Promise<void> {
    // The caller goes first: it is told that its append is durable, and what it does next is on its way.
    await nextTurn();
    while (this.#outgoing.size > 0) {
      const names = JSON.stringify([...this.#outgoing]);
      this.#outgoing.clear();
      const client = await this.#connect();
      const message = Buffer.byteLength(names) <= MESSAGE_BYTES ? names : "*";
      await client
        ?.query("SELECT pg_notify($1, $2)", [this.#connection.channel, message])
        .catch(() => undefined);
    }
    this.#sending = undefined;
  }

  /** Begins to listen and to catch up; call it after somebody began to watch and before they read. */
  listen(): void {
    this.#listening = true;
    if (this.#timer !== undefined || this.#closed) return;
    void this.#connect();
    this.#schedule();
  }

  stopListening(): void {
    this.#listening = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      void this.#look();
    }, CATCH_UP_MS);
  }

  async #look(): Promise<void> {
    await this.#connect();
    await this.#catchUp().catch((error: unknown) => {
      // When the server is away, followers wait for it. Anything else they meet themselves, for else they would never know.
      const isAway = JournalStorageError.isInstance(error) && error.reason === "unreachable";
      if (!isAway && !this.#closed) this.#watchers.wakeAll();
    });
    if (this.#timer !== undefined && !this.#closed) this.#schedule();
  }

  async #connect(): Promise<Client | undefined> {
    this.#client ??= this.#open();
    return this.#client;
  }

  async #open(): Promise<Client | undefined> {
    let client: Client | undefined;
    try {
      client = await this.#connection.connectAlone();
      client.on("notification", ({ payload }) => {
        this.#hear(payload ?? "*");
      });
      // A wake-up has nothing to keep, so its commit need not wait for the disk.
      await client.query(`SET synchronous_commit = off; LISTEN ${this.#connection.channel}`);
      client.on("end", () => {
        this.#client = undefined;
        if (this.#listening && !this.#closed) void this.#connect();
      });
      // What was committed before this moment had nobody to hear of it.
      this.#onListen();
      this.#watchers.wakeAll();
      return client;
    } catch {
      // Where one may not listen, as on a standby, connections must not pile up.
      await client?.end().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 50));
      this.#client = undefined;
      return undefined;
    }
  }

  #hear(message: string): void {
    try {
      for (const stream of JSON.parse(message) as string[]) this.#watchers.wake(stream);
    } catch {
      this.#watchers.wakeAll();
    }
  }

  async close(): Promise<void> {
    this.stopListening();
    // What was appended last wakes others too.
    await this.#sending;
    this.#closed = true;
    const client = await this.#client;
    await client?.end().catch(() => undefined);
  }
}
