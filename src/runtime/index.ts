/**
 * The actor runtime: hosts actors of kinds that it does not know, and brings commands to them.
 *
 * The way of a command: `client` finds the partition's owner over the bus and retries under one command id
 * (`backoff`, `outage`) → `host` and `ownership` check that this host owns the partition → `activations` brings the
 * actor into memory (`activation`, `load`) → `reply-cache` answers a repeat → `mailbox` keeps the order of each lane
 * while `input-loader` loads the inputs → `executor` asks the actor's phase (`phases`) and runs the handler over
 * `memory` → `commit-batch` and `commit-loop` write the outcome → `outbox` appends the events to the log
 * (`pack-entries`) and sends the commands → the reply goes back. A `sidecar` answers commands that may wait for
 * minutes, outside the mailbox.
 *
 * Invariants:
 * - A handler is pure: it gets state, arguments and inputs, and returns an outcome (`kind`).
 * - A commit is one conditional write under the partition's epoch. After a conflict or an unknown outcome the
 *   activation stops, and the next one starts from the Store.
 * - A command id is executed at most once; a repeat gets the remembered reply.
 * - Events are appended in order of version, and commands are sent only after the events of their commit.
 * - All work after a commit may be done twice; readers of the log drop repeats by version.
 *
 * Imports ports, model and base. Actors import the types of `kind`; of the other wings, frontend/gateway, directory
 * and app import the client, and app the host.
 */
export { ActorClient, CommandTimeoutError, type SentCommand } from './client.js';
export { mapHandlersByName } from './command-table.js';
export { ActorHost } from './host.js';
export {
  type ActorActivationHandle,
  type ActorKindDefinition,
  type ActorSidecar,
  type ActorView,
  type AnyActorKindDefinition,
  type AnyCommandDefinition,
  type CommandContext,
  type CommandDefinition,
  type CommandInputContext,
  type CommandInputSources,
  type CommandOutcome,
  CommandTooEarlyError,
  type DeferredRequest,
  MAX_ACTOR_SLEEP_MS,
  type MessageChange,
  type PassivationReason,
} from './kind.js';
export { type StateMachineStep, StateMachineStepTable } from './machine-steps.js';
export { splitListForEvents } from './pack-entries.js';
export { type ActorPhaseEvent, STAY_IN_PHASE_TRANSITION } from './phases.js';
export { type ActorCommandReply, type CommandEnvelope, START_SLEEPER_TIMERS_COMMAND } from './protocol.js';
