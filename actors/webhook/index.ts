/**
 * The webhook actor: one per outgoing webhook bot. It stores the calls of the bot's server and makes them, so that a
 * slow server delays no conversation.
 *
 * State: time of the last warning to the owner; one part per call that waits or runs (`call/`). Without phases.
 *
 * Pipeline: a conversation sends `triggered`, which stores the call and starts it, if fewer than 8 run → the sidecar
 * makes it (`calls.ts`) and sends `called` with its outcome → `fates.ts` turns the outcome into a retry, a reply of the
 * bot, or a notice to its owner, and the next call that is due starts → `refused` comes back if the conversation
 * refuses the reply. `due` starts retries, and calls whose outcome has not come in time.
 *
 * Invariants: the commands never refuse. Calls start in the order of their messages, except for retries and after the
 * death of a host. No call waits for the answer to another while fewer than 8 run. A drain starts no calls; waiting
 * ones are left to the next owner. At most 1,000 calls wait; further ones are dropped with a warning, once a minute.
 * While the process lives, no call is repeated before its outcome is known. After a crash between a call and the commit
 * of its outcome, the call is repeated 20 s after its start.
 *
 * Importers: src/app, which hosts the kind.
 */
export { webhookActorKind } from './kind.js';
