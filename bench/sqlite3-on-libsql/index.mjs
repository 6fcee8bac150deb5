import Libsql from "libsql";
import { Buffer } from "node:buffer";
import { createRequire } from "node:module";
import process from "node:process";
import { setImmediate } from "node:timers";

/** @typedef {(error: unknown, result?: unknown) => void} Callback */

/**
 * As much of node-sqlite3's `Database` as emmett-sqlite calls. As there, each call prepares its statement and answers in a
 * later turn of the event loop; unlike there, nothing moves between threads, so what is measured on it is faster.
 */
class Database {
  /** @type {Libsql.Database} */
  #database;

  /** @param {string} path */
  constructor(path) {
    this.#database = new Libsql(path);
  }

  /**
   * @param {string} sql
   * @param {unknown} [given]
   * @param {unknown} [last]
   */
  run(sql, given, last) {
    this.#call(sql, given, last, (statement, values) => {
      if (statement.reader) return void statement.all(...values);
      const { changes, lastInsertRowid } = statement.run(...values);
      return { changes, lastID: Number(lastInsertRowid) };
    });
    return this;
  }

  /**
   * @param {string} sql
   * @param {unknown} [given]
   * @param {unknown} [last]
   */
  all(sql, given, last) {
    this.#call(sql, given, last, (statement, values) => statement.all(...values));
    return this;
  }

  /**
   * @param {string} sql
   * @param {unknown} [given]
   * @param {unknown} [last]
   */
  get(sql, given, last) {
    this.#call(sql, given, last, (statement, values) => statement.all(...values)[0]);
    return this;
  }

  close() {
    this.#database.close();
  }

  /**
   * @param {string} sql
   * @param {unknown} given
   * @param {unknown} last
   * @param {(statement: Libsql.Statement, values: readonly unknown[]) => unknown} work
   */
  #call(sql, given, last, work) {
    const values = Array.isArray(given) ? given.map(bindable) : [];
    const callback = /** @type {Callback | undefined} */ (typeof given === "function" ? given : last);
    let result;
    try {
      result = work(this.#database.prepare(sql), values);
    } catch (error) {
      setImmediate(() => callback?.call(this, error));
      return;
    }
    setImmediate(() => callback?.call(result ?? this, null, result));
  }
}

/**
 * A parameter as node-sqlite3 binds it: truth values as numbers, objects as that well-known text, nothing as NULL.
 *
 * @param {unknown} value
 */
function bindable(value) {
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "object" && value !== null && !Buffer.isBuffer(value)) return "[object Object]";
  return value ?? null;
}

const original = process.env["NODE_SQLITE3"];

/** The original instead, where the environment's NODE_SQLITE3 says in which folder it was built. */
export default original === undefined
  ? { Database, OPEN_READWRITE: 2, OPEN_CREATE: 4, OPEN_URI: 64 }
  : createRequire(import.meta.url)(original);
