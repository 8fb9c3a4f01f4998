#!/usr/bin/env node
/** Start of the program; src/server/serve.ts is the table of contents of what `conclave serve` starts and stops. */
import { run } from './cli/run.js';
import { makePrivately } from './disk/index.js';

makePrivately();
process.exitCode = await run(process.argv.slice(2), process.env);
