import type { SqliteDatabase, SqliteStatement } from "./sqlite-driver.ts";

/** An event's row. */
export interface EventRow {
  readonly position: number;
  readonly stream: string;
  readonly offset: number;
  readonly type: string;
  readonly created_at: string;
  readonly idempotency_key: string | null;
  readonly source: string | null;
  readonly payload: string;
}

/** How far one page reaches: the last row that fits, how many fit, how many were looked at. */
export interface BoundRow {
  readonly last: number | null;
  readonly fitting: number;
  readonly scanned: number;
}

const COLUMNS = "e.position, e.offset, e.type, e.created_at, e.idempotency_key, e.source, e.payload";

/**
 * The end of a page, from sizes alone: rows while their count and the bytes before them stay below the limits.
 * `hit` marks the rows that the reader wants; only those weigh.
 */
function bound(column: "offset" | "position", scan: string): string {
  return `SELECT max(${column}) FILTER (WHERE fits) AS last, count(*) FILTER (WHERE fits) AS fitting, count(*) AS scanned
    FROM (
      SELECT ${column}, sum(hit) OVER w <= ?1 AND (sum(hit * bytes) OVER w) - hit * bytes < ?2 AS fits
      FROM (${scan}) WINDOW w AS (ORDER BY ${column} ROWS UNBOUNDED PRECEDING)
    )`;
}

/** Whether an event's columns hold what only somebody else can have written: SQLite's own types bind nobody. */
const UNFIT_COLUMNS = `(typeof(e.offset) <> 'integer' OR typeof(e.bytes) <> 'integer' OR typeof(e.type) <> 'text'
  OR typeof(e.created_at) <> 'text' OR typeof(e.payload) <> 'text'
  OR typeof(e.idempotency_key) NOT IN ('text', 'null') OR typeof(e.source) NOT IN ('text', 'null'))`;

/** Streams whose names no reader finds, and snapshots that no events stand behind. One statement, so that it sees one moment. */
const OTHER_FAULTS = `
  SELECT 'the stream of id ' || id || ' has a name that is no text of characters' AS problem
    FROM streams WHERE typeof(name) <> 'text' OR name = '' OR name >= char(1114111)
  UNION ALL
  SELECT 'the head kept for the stream ' || name || ' is not a whole number'
    FROM streams WHERE typeof(head) <> 'integer' OR head < 0
  UNION ALL
  SELECT * FROM (
    SELECT 'a snapshot of ' || n.stream || ' has the offset ' || n.offset || CASE
        WHEN typeof(n.offset) <> 'integer' OR n.offset < 0 THEN ', which is not a whole number'
        WHEN typeof(n.state) <> 'text' THEN ' and a state that is not text'
        ELSE ', above the stream''s head' END
      FROM snapshots n LEFT JOIN streams s ON s.name = n.stream
      WHERE typeof(n.offset) <> 'integer' OR n.offset < 0 OR typeof(n.state) <> 'text'
        OR n.offset > max(coalesce(s.head, 0),
          coalesce((SELECT max(e.offset) FROM events e WHERE e.stream_id = s.id AND typeof(e.offset) = 'integer'), 0))
      LIMIT 100
  )`;

/** How many events one statement inserts, the most first: calls cost more than rows. */
const INSERT_ROWS = [50, 10, 1];

function insertRows(rows: number): string {
  const values = Array.from({ length: rows }, () => "(?, ?, ?, ?, ?, ?, ?, ?)").join(", ");
  return `INSERT INTO events (stream_id, offset, bytes, type, created_at, idempotency_key, source, payload) VALUES ${values}`;
}

/** Every statement of the store, prepared once for a connection. */
export interface SqliteStatements {
  /** A stream's id, head and last time. */
  readonly stream: SqliteStatement<readonly [id: number, head: number, lastCreatedAt: string]>;
  readonly streamId: SqliteStatement<readonly [id: number]>;
  readonly insertStream: SqliteStatement<never>;
  /** Inserts so many events in one call, the most first; the last one inserts a single event. */
  readonly insertEvents: readonly { readonly rows: number; readonly statement: SqliteStatement<never> }[];
  readonly eventsByKey: SqliteStatement<EventRow>;
  readonly streamSize: SqliteStatement<BoundRow & { bytes: number | null }>;
  readonly streamBound: SqliteStatement<BoundRow>;
  readonly streamBoundByType: SqliteStatement<BoundRow>;
  readonly streamRows: SqliteStatement<EventRow>;
  readonly streamRowsByType: SqliteStatement<EventRow>;
  readonly prefixBound: SqliteStatement<BoundRow>;
  readonly prefixRows: SqliteStatement<EventRow>;
  readonly streamNames: SqliteStatement<{ name: string }>;
  readonly lease: SqliteStatement<{ fence: number; held: number; ttl_ms: number; expires_at: number }>;
  readonly saveLease: SqliteStatement<never>;
  readonly loadCheckpoint: SqliteStatement<{ cursor: number }>;
  readonly saveCheckpoint: SqliteStatement<never>;
  readonly resetCheckpoint: SqliteStatement<never>;
  readonly saveSnapshot: SqliteStatement<never>;
  readonly loadSnapshot: SqliteStatement<{ offset: number; state: string }>;
  readonly clearSnapshots: SqliteStatement<never>;
  readonly dataVersion: SqliteStatement<{ data_version: number }>;
  readonly lastPosition: SqliteStatement<{ position: number | null }>;
  readonly integrity: SqliteStatement<{ message: string }>;
  readonly strays: SqliteStatement<{ position: number; problem: string }>;
  /** What is wrong beside events, in words. */
  readonly otherFaults: SqliteStatement<{ problem: string }>;
  readonly definitions: SqliteStatement<{ name: string }>;
  readonly streamsAfter: SqliteStatement<{ position: number; name: string }>;
}

/** Prepares the statements; the schema must be there. */
export function prepareStatements(database: SqliteDatabase): SqliteStatements {
  const prepare = database.prepare.bind(database);
  const ofStream = "stream_id = ?3 AND offset > ?4 AND offset <= ?5 ORDER BY offset LIMIT ?6";
  const wanted = "type IN (SELECT value FROM json_each(?7))";
  const inPrefix = "s.name >= ?3 AND s.name < ?4";
  return {
    stream: database.prepareRaw(
      `SELECT s.id, max(s.head, coalesce(e.offset, 0)), max(s.last_created_at, coalesce(e.created_at, ''))
       FROM streams s LEFT JOIN events e ON e.stream_id = s.id WHERE s.name = ? ORDER BY e.offset DESC LIMIT 1`,
    ),
    streamId: database.prepareRaw("SELECT id FROM streams WHERE name = ?"),
    insertStream: prepare("INSERT INTO streams (name, head, last_created_at) VALUES (?, 0, '')"),
    insertEvents: INSERT_ROWS.map((rows) => ({ rows, statement: prepare(insertRows(rows)) })),
    eventsByKey: prepare(
      `SELECT ${COLUMNS} FROM json_each(?1) k CROSS JOIN events e
       WHERE e.stream_id = ?2 AND e.idempotency_key = k.value`,
    ),
    streamSize: prepare(
      `SELECT max(offset) AS last, count(*) AS fitting, count(*) AS scanned, sum(bytes) AS bytes FROM (
         SELECT offset, bytes FROM events WHERE stream_id = ? AND offset > ? AND offset <= ? ORDER BY offset LIMIT ?
       )`,
    ),
    streamBound: prepare(bound("offset", `SELECT offset, bytes, 1 AS hit FROM events WHERE ${ofStream}`)),
    streamBoundByType: prepare(
      bound("offset", `SELECT offset, bytes, ${wanted} AS hit FROM events WHERE ${ofStream}`),
    ),
    streamRows: prepare(
      `SELECT ${COLUMNS} FROM events e WHERE e.stream_id = ? AND e.offset > ? AND e.offset <= ? ORDER BY e.offset`,
    ),
    streamRowsByType: prepare(
      `SELECT ${COLUMNS} FROM events e WHERE e.stream_id = ? AND e.offset > ? AND e.offset <= ?
       AND e.type IN (SELECT value FROM json_each(?)) ORDER BY e.offset`,
    ),
    prefixBound: prepare(
      bound(
        "position",
        `SELECT e.position, e.bytes, (${inPrefix}) AS hit FROM events e CROSS JOIN streams s
         WHERE e.position > ?5 AND s.id = e.stream_id ORDER BY e.position LIMIT ?6`,
      ),
    ),
    prefixRows: prepare(
      `SELECT ${COLUMNS}, s.name AS stream FROM events e CROSS JOIN streams s
       WHERE e.position > ?1 AND e.position <= ?2 AND s.id = e.stream_id AND s.name >= ?3 AND s.name < ?4
       ORDER BY e.position`,
    ),
    streamNames: prepare(
      "SELECT name FROM streams WHERE name >= ? AND name < ? AND name > ? ORDER BY name LIMIT ?",
    ),
    lease: prepare("SELECT fence, held, ttl_ms, expires_at FROM leases WHERE stream = ? AND processor = ?"),
    saveLease: prepare(
      `INSERT INTO leases (stream, processor, fence, held, ttl_ms, expires_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET fence = excluded.fence, held = excluded.held, ttl_ms = excluded.ttl_ms,
         expires_at = excluded.expires_at`,
    ),
    loadCheckpoint: prepare("SELECT cursor FROM checkpoints WHERE processor = ? AND scope = ?"),
    saveCheckpoint: prepare(
      `INSERT INTO checkpoints (processor, scope, cursor) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET cursor = max(cursor, excluded.cursor)`,
    ),
    resetCheckpoint: prepare("DELETE FROM checkpoints WHERE processor = ? AND scope = ?"),
    saveSnapshot: prepare(
      `INSERT INTO snapshots (stream, fold_version, contract_version, offset, state) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET state = excluded.state`,
    ),
    loadSnapshot: prepare(
      `SELECT offset, state FROM snapshots WHERE stream = ? AND fold_version = ? AND contract_version = ?
       AND offset <= ? ORDER BY offset DESC LIMIT 1`,
    ),
    clearSnapshots: prepare("DELETE FROM snapshots WHERE stream = ?"),
    dataVersion: prepare("PRAGMA data_version"),
    lastPosition: prepare("SELECT max(position) AS position FROM events"),
    integrity: prepare("SELECT integrity_check AS message FROM pragma_integrity_check"),
    strays: prepare(
      `SELECT e.position, CASE
         WHEN s.id IS NULL THEN 'belongs to no stream'
         WHEN ${UNFIT_COLUMNS} THEN 'has a column of another type than was stored'
         ELSE 'has another length than was stored' END AS problem
       FROM events e LEFT JOIN streams s ON s.id = e.stream_id
       WHERE s.id IS NULL OR ${UNFIT_COLUMNS} OR e.bytes <> length(CAST(e.payload AS BLOB))
       ORDER BY e.position LIMIT 100`,
    ),
    otherFaults: prepare(OTHER_FAULTS),
    definitions: prepare("SELECT name FROM sqlite_master"),
    streamsAfter: prepare(
      `SELECT e.position, s.name FROM events e CROSS JOIN streams s
       WHERE e.position > ? AND s.id = e.stream_id ORDER BY e.position LIMIT ?`,
    ),
  };
}
