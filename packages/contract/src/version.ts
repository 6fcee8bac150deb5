/**
 * Version of everything that decides the bytes of a rendered request: schemas, fold and message rendering (semver).
 * It changes whenever any fixture renders to other bytes; a request event records the version that made it.
 */
export const CONTRACT_VERSION = "1.0.0";
