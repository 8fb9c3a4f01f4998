#!/usr/bin/env node
/** Start of the program; src/app/server/serve.ts is the table of contents of what `conclave serve` starts and stops. */
import { runCommandLine } from '#app/cli';
import { setPrivateUmask } from '#base/disk';

setPrivateUmask();
process.exitCode = await runCommandLine(process.argv.slice(2), process.env);
