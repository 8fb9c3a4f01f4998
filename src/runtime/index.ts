export { ActorClient, CommandTimeout, type SendOptions, type SentCommand } from './client.js';
export { ActorHost, type DirectorySource, type HostOptions } from './host.js';
export * from './kind.js';
export * from './log-entry.js';
export { MachineSteps, type Step } from './machine-steps.js';
export { splitForEvents } from './pack-entries.js';
export type { Logger } from './ports.js';
export type { Envelope, OutboxCommand, Reply } from './protocol.js';
export type { RetryReason, StopReason } from './reasons.js';
