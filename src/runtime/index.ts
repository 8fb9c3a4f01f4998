export { ActorClient, CommandTimeout, type SendOptions, type Sent } from './client.js';
export { inPieces } from './form-entries.js';
export { ActorHost, type DirectorySource, type HostOptions } from './host.js';
export * from './kind.js';
export * from './log-entry.js';
export { MachineSteps, type Step } from './machine-steps.js';
export type { Logger } from './ports.js';
export type { Envelope, OutboxCommand, Reply } from './protocol.js';
export type { RetryReason, StopReason } from './reasons.js';
