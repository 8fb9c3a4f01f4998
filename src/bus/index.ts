export * from './bus.js';
export { LocalBus } from './bus-local.js';
export { type LocalChoice, type LocalFrame, type LocalHook, LocalHub } from './bus-local-hub.js';
export { NatsBus, type NatsBusOptions } from './bus-nats.js';
export { natsName } from './bus-nats-link.js';
export { NamespacedBus } from './namespaced.js';
