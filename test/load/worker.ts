/** A worker process of the load harness: runs its share of the clients and reports every second. */
import type { Order, Report } from './protocol.js';
import { World } from './world.js';

const REPORT_MS = 1_000;
/** For the goodbyes of all clients. */
const LEAVE_MS = 10_000;

// The main process decides when it is over.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('disconnect', () => process.exit(1));

const say = (report: Report): Promise<void> =>
  new Promise((resolve) => {
    process.send?.(report, undefined, undefined, () => resolve());
  });

let world: World | undefined;
let reporter: NodeJS.Timeout | undefined;

const report = (): Promise<void> => (world ? say(world.recorder.take(world.present)) : Promise.resolve());

async function stop(): Promise<void> {
  clearInterval(reporter);
  if (world) {
    for (const client of world.clients.values()) client.stop();
    const until = performance.now() + LEAVE_MS;
    while (world.pool.inFlight > 0 && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 20));
    world.pool.close();
  }
  await report();
  await say({ kind: 'ended' });
  process.exit(0);
}

function obey(order: Order): void {
  if (order.kind === 'setup') {
    world = new World(order.setup);
    reporter = setInterval(() => void report(), REPORT_MS);
  } else if (order.kind === 'stop') void stop();
  else if (!world) throw new Error(`${order.kind} before setup`);
  else if (order.kind === 'world') world.grow(order.from, order.accounts, order.streams, order.shape);
  else if (order.kind === 'clients') world.setClients(order.count, order.from, order.at, order.ms);
  else world.quiet();
}

process.on('message', (order: Order) => {
  try {
    obey(order);
  } catch (error) {
    void say({ kind: 'failed', error: String(error instanceof Error ? error.stack : error) }).then(() =>
      process.exit(1),
    );
  }
});
process.on('uncaughtException', (error) => {
  void say({ kind: 'failed', error: String(error.stack) }).then(() => process.exit(1));
});
