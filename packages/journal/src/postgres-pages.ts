import type { CommittedEvent } from "./journal.ts";
import { prefixEnd } from "./names.ts";
import { parsePayload } from "./parse-payload.ts";
import type { PostgresConnection, Row } from "./postgres-connection.ts";
import type { PostgresHorizon } from "./postgres-horizon.ts";
import type { SourceTexts } from "./source-texts.ts";
import { PAGE_BYTES, PAGE_SCAN, type Page, type StreamPageRequest } from "./store.ts";
import { toCommitted } from "./to-committed.ts";

const COLUMNS = "e.position, e.stream_offset, e.type, e.created_at, e.idempotency_key, e.source, e.payload";

/** Prepared once for each connection: planning them takes longer than reading the page that a live tail reads. */
const READ_STREAM = "promptfold_read_stream";
const READ_PREFIX = "promptfold_read_prefix";

/** Reads pages of events, each in one statement. */
export class PostgresPages {
  readonly #connection: PostgresConnection;
  readonly #schema: string;
  readonly #horizon: PostgresHorizon;
  readonly #sources: SourceTexts;

  constructor(connection: PostgresConnection, horizon: PostgresHorizon, sources: SourceTexts) {
    this.#connection = connection;
    this.#schema = connection.schema;
    this.#horizon = horizon;
    this.#sources = sources;
  }

  async readStream(stream: string, request: StreamPageRequest): Promise<Page> {
    const { after, through, types, limit } = request;
    if (types !== undefined) return this.#readStreamByType(stream, request, types);
    // Sizes come from their own column, so that payloads beyond the page's end are never fetched.
    const rows = await this.#connection.query(
      `SELECT ${COLUMNS} FROM (
         SELECT *, sum(bytes) OVER (ORDER BY stream_offset ROWS UNBOUNDED PRECEDING) - bytes AS before FROM (
           SELECT * FROM ${this.#schema}.events
           WHERE stream_id = (SELECT id FROM ${this.#schema}.streams WHERE name = $1)
             AND stream_offset > $2 AND stream_offset <= $3
           ORDER BY stream_offset LIMIT $4
         ) scanned
       ) e WHERE before < $5 ORDER BY stream_offset`,
      [stream, after, Math.min(through, Number.MAX_SAFE_INTEGER), limit, PAGE_BYTES],
      READ_STREAM,
    );
    const events = rows.map((row) => this.toEvent(row, stream));
    const next = events.at(-1)?.offset ?? after;
    return { events, next, more: events.length === limit || mayFillPage(events) };
  }

  async #readStreamByType(
    stream: string,
    { after, through, limit }: StreamPageRequest,
    types: readonly string[],
  ): Promise<Page> {
    const rows = await this.#connection.query(
      `WITH looked AS (
         SELECT stream_offset, sum(hit) OVER w AS hits, sum(hit * bytes) OVER w - hit * bytes AS before
         FROM (
           SELECT e.stream_offset, e.bytes, CASE WHEN e.type = ANY ($6::text[]) THEN 1 ELSE 0 END AS hit
           FROM ${this.#schema}.events e
           WHERE e.stream_id = (SELECT id FROM ${this.#schema}.streams WHERE name = $1)
             AND e.stream_offset > $2 AND e.stream_offset <= $3
           ORDER BY e.stream_offset LIMIT $4
         ) scanned WINDOW w AS (ORDER BY stream_offset ROWS UNBOUNDED PRECEDING)
       ), bound AS (
         SELECT max(stream_offset) FILTER (WHERE hits <= $5 AND before < $7) AS last,
           count(*) FILTER (WHERE hits <= $5 AND before < $7) AS fitting, count(*) AS scanned
         FROM looked
       )
       SELECT bound.last, bound.fitting, bound.scanned, ${COLUMNS} FROM bound LEFT JOIN ${this.#schema}.events e
         ON e.stream_id = (SELECT id FROM ${this.#schema}.streams WHERE name = $1)
         AND e.stream_offset > $2 AND e.stream_offset <= bound.last AND e.type = ANY ($6)
       ORDER BY e.stream_offset`,
      [stream, after, Math.min(through, Number.MAX_SAFE_INTEGER), PAGE_SCAN, limit, types, PAGE_BYTES],
    );
    return this.#page(rows, after, PAGE_SCAN, () => stream);
  }

  #page(rows: readonly Row[], after: number, scan: number, streamOf: (row: Row) => string): Page {
    const last = rows[0]?.["last"] as number | null | undefined;
    if (rows[0] === undefined || last == null) return { events: [], next: after, more: false };
    const { fitting, scanned } = rows[0] as { fitting: number; scanned: number };
    const events = rows
      .filter((row) => row["position"] !== null)
      .map((row) => this.toEvent(row, streamOf(row)));
    return { events, next: last, more: fitting < scanned || scanned === scan };
  }

  async readPrefix(
    prefix: string,
    request: { readonly after: number; readonly limit: number },
  ): Promise<Page> {
    const { opened } = this.#connection;
    const { settled } = this.#horizon;
    const rows = await this.#prefixRows(prefix, request, settled);
    // A new connection may lead to a server that lost what was settled.
    if (settled > request.after && opened !== this.#connection.opened)
      return this.readPrefix(prefix, request);
    const page = this.#page(rows, request.after, PAGE_SCAN, (row) => row["stream"] as string);
    if (rows[0]?.["gap"] !== true) return page;
    // Numbers are missing: on their way, or rolled back. Usually nothing is on its way, and a second look settles it.
    await this.#horizon.refresh();
    const isMoved = this.#horizon.settled > settled || opened !== this.#connection.opened;
    if (isMoved && page.next === request.after) return this.readPrefix(prefix, request);
    // What lies behind a gap that is not settled waits for the horizon, which wakes those who follow.
    return { ...page, more: isMoved };
  }

  #prefixRows(
    prefix: string,
    { after, limit }: { readonly after: number; readonly limit: number },
    settled: number,
  ): Promise<Row[]> {
    return this.#connection.query(
      `WITH looked AS (
         SELECT position, sum(hit) OVER w AS hits, sum(hit * bytes) OVER w - hit * bytes AS before,
           position <= $5 OR position = $5 + count(*) FILTER (WHERE position > $5) OVER w AS dense
         FROM (
           SELECT e.position, e.bytes, CASE WHEN s.name >= $1 AND s.name < $2 THEN 1 ELSE 0 END AS hit
           FROM ${this.#schema}.events e JOIN ${this.#schema}.streams s ON s.id = e.stream_id
           WHERE e.position > $3 ORDER BY e.position LIMIT $6
         ) scanned WINDOW w AS (ORDER BY position ROWS UNBOUNDED PRECEDING)
       ), bound AS (
         SELECT max(position) FILTER (WHERE hits <= $4 AND before < $7 AND dense) AS last,
           count(*) FILTER (WHERE hits <= $4 AND before < $7 AND dense) AS fitting, count(*) AS scanned,
           coalesce(bool_or(NOT dense) FILTER (WHERE hits <= $4 AND before < $7), false) AS gap
         FROM looked
       )
       SELECT bound.last, bound.fitting, bound.scanned, bound.gap, ${COLUMNS}, s.name AS stream
         FROM bound LEFT JOIN (${this.#schema}.events e JOIN ${this.#schema}.streams s ON s.id = e.stream_id)
         ON e.position > $3 AND e.position <= bound.last AND s.name >= $1 AND s.name < $2
       ORDER BY e.position`,
      [prefix, prefixEnd(prefix), after, limit, Math.max(after, settled), PAGE_SCAN, PAGE_BYTES],
      READ_PREFIX,
    );
  }

  /** The event of a row with the columns of an event. */
  toEvent(row: Row, stream: string): CommittedEvent {
    const offset = row["stream_offset"] as number;
    const payloadText = row["payload"] as string;
    const source = row["source"] as string | null;
    return toCommitted({
      stream,
      position: row["position"] as number,
      offset,
      type: row["type"] as string,
      payload: parsePayload(payloadText, stream, offset),
      payloadText,
      createdAt: row["created_at"] as string,
      idempotencyKey: row["idempotency_key"] as string | null,
      source: source === null ? undefined : this.#sources.sourceOf(source),
    });
  }
}

/** Whether a page's payloads may have reached the size that ends a page: a character takes at most three bytes. */
function mayFillPage(events: readonly CommittedEvent[]): boolean {
  return events.reduce((length, { payloadText }) => length + payloadText.length, 0) * 3 >= PAGE_BYTES;
}
