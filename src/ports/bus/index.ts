export {
  type Bus,
  BusError,
  type BusFailure,
  type BusRequest,
  type BusServer,
  type BusStats,
  type PendingReply,
} from './bus.js';
export { LocalBus } from './bus-local.js';
export { type LocalChoice, type LocalFrame, type LocalHook, LocalHub } from './bus-local-hub.js';
export { NatsBus, type NatsBusOptions } from './bus-nats.js';
export { connectNats, loudly, natsName, watchConnection } from './bus-nats-link.js';
export { NamespacedBus } from './namespaced.js';
