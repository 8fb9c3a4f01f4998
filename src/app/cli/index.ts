/**
 * Command line: every `conclave …` command.
 *
 * `declarations.ts` declares every command with its words and options. `run.ts` parses the command line by it, and
 * prints the help (`help.ts`). For all else it loads `run-command.ts`, which refuses what the command does not take
 * (`usage.ts`), reads the configuration and runs the command: `serve` and `check-config` are there, the others in the
 * `*-commands.ts` files: `data` (backup, restore), `exchange` (import, export), `store` (a cluster's database),
 * `secret`, `cluster` (hosts), and `admin` (organizations, accounts).
 *
 * Commands on organizations and accounts send commands to actors. They reach them in one of three ways: over the bus of
 * the cluster, in a node of their own on the data directory, or through the admin channel of the server that has the
 * directory open.
 *
 * Invariants: exit code 0 is success, 1 failure, 2 wrong usage or configuration. Results go to stdout, problems to
 * stderr. Credentials are printed only by the commands that exist to show them.
 *
 * Importers: src/main.ts and tests.
 */
export { runCommandLine } from './run.js';
