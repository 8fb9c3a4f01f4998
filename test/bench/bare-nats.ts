/**
 * Bare program for round trips through NATS. Two processes run this file: the requester measures in a closed loop, and
 * the responder answers each request at once with a fixed number of bytes.
 */
import { connect } from 'nats';
import { closedLoop } from './closed-loop.js';
import type { NatsJob } from './jobs.js';

const TIMEOUT_MS = 10_000;

process.on('disconnect', () => process.exit(0));
process.on('message', (order: NatsJob) => {
  void runJob(order).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});

let connection: Awaited<ReturnType<typeof connect>> | undefined;

async function runJob(order: NatsJob): Promise<unknown> {
  connection ??= await connect({ servers: order.url });
  const { subject } = order;
  const nats = connection;
  if (order.kind === 'answer') {
    const reply = new Uint8Array(order.bytes);
    nats.subscribe(subject, { callback: (_error, message) => void message.respond(reply) });
    await nats.flush();
    return {};
  }
  const request = new Uint8Array(order.bytes);
  return closedLoop(order, () => nats.request(subject, request, { timeout: TIMEOUT_MS }));
}
