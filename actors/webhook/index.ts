/**
 * The webhook actor: one per outgoing webhook bot. It stores the calls of the bot's server and makes them, so that a
 * slow server delays no conversation.
 *
 * State: time of the last warning to the owner; one part per waiting call (`call/`). Without phases.
 *
 * Pipeline: a conversation sends `triggered`, which stores the call → `due` makes the calls that are due, up to 8 per
 * run (`calls.ts`) → `fates.ts` turns each result into a retry, a reply of the bot, or a notice to its owner →
 * `refused` comes back if the conversation refuses the reply.
 *
 * Invariants: the commands never refuse. At most 1,000 calls wait; further ones are dropped with a warning, once a
 * minute. A crash between a call and its commit makes the call again.
 *
 * Importers: src/app, which hosts the kind.
 */
export { webhookActorKind } from './kind.js';
