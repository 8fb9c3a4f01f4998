export { ActorClient, CommandTimeout, type SendOptions, type SentCommand } from './client.js';
export { ActorHost, type DirectorySource, type HostOptions } from './host.js';
export {
  type ActivationHandle,
  type ActorKind,
  type ActorQuota,
  type AnyCommand,
  type AnyKind,
  type CommandContext,
  type CommandDefinition,
  type DeferredRequest,
  type InputContext,
  type InputSources,
  type MessageChange,
  type Outcome,
  type PassivationReason,
  type Sidecar,
  type SidecarMetrics,
  TooEarly,
  type View,
} from './kind.js';
export { MachineSteps, type Step } from './machine-steps.js';
export { splitForEvents } from './pack-entries.js';
export { type PhaseEvent, Phases, TAKE } from './phases.js';
export type { Envelope, OutboxCommand, Reply } from './protocol.js';
