/**
 * Command line: every `conclave …` command.
 *
 * `run.ts` parses the words and prints the help. For all else it loads `run-command.ts`, which reads the configuration
 * and finds the command: `serve` and `check-config` are there, the others in the `*-commands.ts` files: `data` (backup,
 * restore), `exchange` (import, export), `store` (a cluster's database), `secret`, and `admin` (organizations,
 * accounts), which includes `cluster` (hosts). `help.ts` is `--help`.
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
