export * from './bus.js';
export { LocalBus } from './bus-local.js';
export { type LocalChoice, type LocalHook, LocalHub } from './bus-local-hub.js';
export type { LocalFrame } from './bus-local-requests.js';
export { NamespacedBus } from './bus-namespaced.js';
export { NatsBus, type NatsBusOptions } from './bus-nats.js';
