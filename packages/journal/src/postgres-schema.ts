/** Version of the tables and functions below; a schema with a greater one was made by a newer release. */
export const POSTGRES_SCHEMA_VERSION: number = 1;

/**
 * The step at index n brings a schema from version n to n + 1; `S` stands for the schema's name, `LOCK` for the two keys of
 * its advisory lock. Released steps never change.
 *
 * `append_events` is a whole append in one statement. Whoever updates the stream's row holds its lock until the end, which puts
 * appends to one stream in order. The head is read without the lock first, then the keys are looked up, and then the update
 * demands that same head: every append moves it, so where it did not move no key has appeared either. Where it moved, all
 * is judged again under the lock. The function answers with the events that it stored; or, having stored nothing, with
 * the events whose keys it found ("known"), with the head ("offset"), or with "lease".
 *
 * Positions come from a sequence, and a lower one may commit after a higher one. Each append takes a shared advisory lock
 * before its first position, so that a reader can tell a position that is still on its way from one that will never come.
 */
export const POSTGRES_MIGRATIONS: readonly string[] = [
  `CREATE TABLE S.journal_schema (version integer NOT NULL);
   INSERT INTO S.journal_schema (version) VALUES (0);
   CREATE TABLE S.streams (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     name text COLLATE "C" NOT NULL UNIQUE,
     head bigint NOT NULL,
     last_created_at text COLLATE "C" NOT NULL
   ) WITH (fillfactor = 70);
   CREATE SEQUENCE S.positions AS bigint;
   CREATE TABLE S.events (
     position bigint PRIMARY KEY DEFAULT nextval('S.positions'),
     stream_id bigint NOT NULL,
     stream_offset bigint NOT NULL,
     bytes integer NOT NULL,
     type text COLLATE "C" NOT NULL,
     created_at text COLLATE "C" NOT NULL,
     idempotency_key text COLLATE "C",
     source text,
     payload text NOT NULL
   );
   CREATE UNIQUE INDEX events_by_offset ON S.events (stream_id, stream_offset);
   CREATE UNIQUE INDEX events_by_key ON S.events (stream_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
   CREATE TABLE S.leases (
     stream text COLLATE "C" NOT NULL,
     processor text COLLATE "C" NOT NULL,
     fence bigint NOT NULL,
     held boolean NOT NULL,
     ttl_ms double precision NOT NULL,
     expires_at double precision NOT NULL,
     PRIMARY KEY (stream, processor)
   );
   CREATE TABLE S.checkpoints (
     processor text COLLATE "C" NOT NULL,
     scope text COLLATE "C" NOT NULL,
     cursor bigint NOT NULL,
     PRIMARY KEY (processor, scope)
   );
   CREATE TABLE S.snapshots (
     stream text COLLATE "C" NOT NULL,
     fold_version text COLLATE "C" NOT NULL,
     contract_version text COLLATE "C" NOT NULL,
     stream_offset bigint NOT NULL,
     state text NOT NULL,
     PRIMARY KEY (stream, fold_version, contract_version, stream_offset)
   );
   CREATE FUNCTION S.lock_stream(p_stream text, OUT id bigint, OUT head bigint, OUT last_created_at text)
   LANGUAGE plpgsql AS $body$
   BEGIN
     SELECT s.id, s.head, s.last_created_at INTO id, head, last_created_at
       FROM S.streams s WHERE s.name = p_stream FOR UPDATE;
     IF NOT FOUND THEN
       INSERT INTO S.streams (name, head, last_created_at) VALUES (p_stream, 0, '') ON CONFLICT DO NOTHING;
       SELECT s.id, s.head, s.last_created_at INTO id, head, last_created_at
         FROM S.streams s WHERE s.name = p_stream FOR UPDATE;
     END IF;
   END $body$;
   CREATE FUNCTION S.append_events(
     p_stream text, p_types text[], p_payloads text[], p_bytes integer[], p_keys text[], p_source text, p_now text,
     p_expected bigint, p_lease_stream text, p_lease_processor text, p_fence bigint
   ) RETURNS TABLE (
     status text, "position" bigint, stream_offset bigint, type text, created_at text, idempotency_key text, source text,
     payload text
   ) LANGUAGE plpgsql AS $body$
   #variable_conflict use_column
   DECLARE
     held record;
     locked boolean := false;
     time_text text;
     added bigint := cardinality(p_types);
   BEGIN
     SELECT s.id, s.head, s.last_created_at INTO held FROM S.streams s WHERE s.name = p_stream;
     IF NOT FOUND THEN
       held := S.lock_stream(p_stream);
       locked := true;
     END IF;
     LOOP
       IF cardinality(array_remove(p_keys, NULL)) > 0 THEN
         RETURN QUERY SELECT 'known', e.position, e.stream_offset, e.type, e.created_at, e.idempotency_key, e.source,
             e.payload
           FROM S.events e WHERE e.stream_id = held.id AND e.idempotency_key = ANY (p_keys);
         IF FOUND THEN RETURN; END IF;
       END IF;
       IF p_expected IS NULL OR p_expected = held.head THEN
         time_text := greatest(p_now COLLATE "C", held.last_created_at COLLATE "C");
         UPDATE S.streams SET head = held.head + added, last_created_at = time_text
           WHERE id = held.id AND head = held.head;
         EXIT WHEN FOUND;
       ELSIF locked THEN
         RETURN QUERY SELECT 'offset', NULL::bigint, held.head, NULL, NULL, NULL, NULL, NULL;
         RETURN;
       END IF;
       held := S.lock_stream(p_stream);
       locked := true;
     END LOOP;
     IF p_fence IS NOT NULL THEN
       PERFORM FROM S.leases l
         WHERE l.stream = p_lease_stream AND l.processor = p_lease_processor AND l.fence = p_fence AND l.held FOR SHARE;
       IF NOT FOUND THEN
         UPDATE S.streams SET head = held.head, last_created_at = held.last_created_at WHERE id = held.id;
         RETURN QUERY SELECT 'lease', NULL::bigint, held.head, NULL, NULL, NULL, NULL, NULL;
         RETURN;
       END IF;
     END IF;
     PERFORM pg_advisory_xact_lock_shared(LOCK);
     RETURN QUERY
       INSERT INTO S.events AS e
         (stream_id, stream_offset, bytes, type, created_at, idempotency_key, source, payload)
       SELECT held.id, held.head + t.n, t.bytes, t.type, time_text, t.key, p_source, t.payload
         FROM unnest(p_types, p_payloads, p_bytes, p_keys) WITH ORDINALITY AS t (type, payload, bytes, key, n) ORDER BY t.n
       RETURNING 'stored', e.position, e.stream_offset, NULL::text, e.created_at, NULL::text, NULL::text, NULL::text;
   END $body$;`,
];

/** A step's SQL for one schema. */
export function migrationSql(
  step: string,
  quotedSchema: string,
  lockKeys: readonly [number, number],
): string {
  return step.replace(/\bS\./g, `${quotedSchema}.`).replace(/\bLOCK\b/g, lockKeys.join(", "));
}
