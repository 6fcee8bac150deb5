#!/usr/bin/env node
import { main } from "../dist/index.js";

// A reader that stops early (`| head`) is no fault.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

process.exitCode = await main(process.argv.slice(2), process);
