/**
 * The server process: `conclave serve`, from its configuration to a running node and to its stop.
 *
 * - `serve.ts` starts and stops one process; both orders are listed at its top.
 * - `preflight.ts` checks the machine before the start: data directory, files, addresses. `secret.ts` finds the server
 *   secret and compares it with the Store, `data-dir.ts` prepares the data directory.
 * - `ports.ts` says what a process runs on; `ports-embedded.ts` (LMDB, files) and `ports-cluster.ts` (NATS, MongoDB)
 *   open it. Only these two choose the implementations of a server.
 * - `node.ts` wires directory, actor host, gateway and services to the ports, and lists the kinds of actors.
 * - `frontend.ts` opens the listener for clients; `frontend-presence.ts` tells commands on a cluster of it.
 * - `observe.ts` (health, metrics, listener for operators), `rates.ts` (rate limits of a frontend), `first-start.ts`
 *   (the first organization of the embedded face), `log-output.ts` (log lines on stderr).
 *
 * Invariants: no data is written before the secret was compared with the Store. A start that fails closes what it has
 * opened. Actors hand over before the ports close. Health answers from the first listener to the last moment.
 *
 * Importers: `app/cli`, `app/reference` and tests.
 */
export { formatStartGreeting, formatZuliprc } from './first-start.js';
export { findRunningFrontend } from './frontend-presence.js';
export { LogOutput } from './log-output.js';
export { actorKindsByName, ConclaveNode, openProcessPorts } from './node.js';
export type { ProcessPorts } from './ports.js';
export { describeMongoDatabase, natsNamesOfEventLog } from './ports-cluster.js';
export { runPreflightChecks } from './preflight.js';
export {
  checkOrStoreServerSecretFingerprint,
  compareServerSecretWithStore,
  hasServerData,
  loadOrCreateServerSecret,
  makeServerSecretMismatchError,
  readStoredServerSecret,
} from './secret.js';
export { startServer } from './serve.js';
