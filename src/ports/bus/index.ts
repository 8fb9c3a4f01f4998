/**
 * The Bus: requests and replies between frontends and actor hosts.
 *
 * bus.ts is the contract; read it first. A request reaches one server of its subject at most once; requests of a client
 * arrive in order. Each failure says whether the request may have been executed: `nobody` means not executed, `timeout`
 * and `disconnected` mean an unknown outcome.
 *
 * - LocalBus (bus-local*.ts) connects the clients of one process through a LocalBusHub. Its hook lets tests delay,
 *   repeat or lose frames.
 * - NatsBus (bus-nats*.ts) runs over core NATS, which loses messages without notice. bus-nats-requester.ts and
 *   bus-nats-responder.ts are the two halves of the protocol: numbered frames, confirmations, heartbeats.
 *   bus-nats-frame.ts names the kinds of frames, bus-nats-transfers.ts splits large ones into chunks with credit,
 *   bus-nats-link.ts holds the two connections. Subjects served by the same process go through a LocalBus.
 * - LinkBus (bus-link.ts) is the bus of a worker, over its link to the process that has the actors; there the worker is
 *   a client of the LocalBusHub (serveBusOverLink).
 * - NamespacedBus keeps clusters on one NATS server apart; bus-shared.ts has what the implementations share.
 *
 * Imported by the runtime (host and client) and by the code that starts a server. Other code sends commands through the
 * runtime's client.
 */

export { type Bus, BusError, type BusRequest, type BusServerHandle, type PendingBusReply } from './bus.js';
export { LinkBus, serveBusOverLink } from './bus-link.js';
export { LocalBus } from './bus-local.js';
export { LocalBusHub } from './bus-local-hub.js';
export type { LocalBusFrame } from './bus-local-requests.js';
export { NamespacedBus } from './bus-namespaced.js';
export { NatsBus } from './bus-nats.js';
