export { ActorClient, CommandTimeout, type SendOptions, type Sent } from './client.js';
export { type HandlersOf, handlersOf } from './command-table.js';
export { inPieces } from './form-entries.js';
export { ActorHost, type DirectorySource, type HostOptions } from './host.js';
export {
  type ActivationHandle,
  type ActorKind,
  type AnyCommand,
  type AnyKind,
  type CommandContext,
  type CommandDefinition,
  type HeldRequest,
  type HostServices,
  type LeaveReason,
  type LiveActor,
  type MessageChange,
  type NeedsContext,
  type Outcome,
  type Suppliers,
  TooEarly,
  type View,
} from './kind.js';
export { MachineSteps, type Step } from './machine-steps.js';
export type { Envelope, Reply } from './protocol.js';
