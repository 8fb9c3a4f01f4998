import t from 'tap';
import { REAL_CLOCK } from '#base/clock';
import { type BusRequest, LinkBus, LocalBus, LocalBusHub, serveBusOverLink } from '#ports/bus';
import { type LinkPair, openLinkPair } from '../support/link-pair.js';
import { until } from '../support/until.js';
import { busContract, failure, freshSubject } from './bus.js';

/** Links copy values of every size in the same way; with 20 MB the eight take 1 to 2 s of CPU. */
const SEVERAL_MB = 4;

interface WorkerBus {
  readonly bus: LinkBus;
  readonly links: LinkPair;
}

async function openWorkerBus(hub: LocalBusHub, id: string): Promise<WorkerBus> {
  const links = await openLinkPair();
  serveBusOverLink(links.main, hub, REAL_CLOCK, id);
  return { bus: new LinkBus(links.worker, REAL_CLOCK, id), links };
}

busContract(
  t,
  'LinkBus, served by the process that has the actors',
  async () => {
    const hub = new LocalBusHub();
    const { bus: client } = await openWorkerBus(hub, 'worker');
    const server = new LocalBus(REAL_CLOCK, hub);
    return {
      client,
      server,
      close: async () => {
        await client.close();
        await server.close();
      },
    };
  },
  SEVERAL_MB,
);

busContract(
  t,
  'LinkBus, served by another worker',
  async () => {
    const hub = new LocalBusHub();
    const [{ bus: client }, { bus: server }] = [await openWorkerBus(hub, 'one'), await openWorkerBus(hub, 'two')];
    return {
      client,
      server,
      close: async () => {
        await client.close();
        await server.close();
      },
    };
  },
  SEVERAL_MB,
);

t.test(
  'when a worker exits, its requests are cancelled, and requests that it has not answered fail with an unknown outcome',
  async (t) => {
    const hub = new LocalBusHub();
    const { bus: worker, links } = await openWorkerBus(hub, 'worker');
    const other = new LocalBus(REAL_CLOCK, hub);
    const [subject, own] = [freshSubject(), freshSubject()];
    const held: BusRequest[] = [];
    let cancelled = 0;
    await other.serve(subject, (request) => {
      held.push(request);
      request.onCancel(() => cancelled++);
    });
    await worker.serve(own, (request) => held.push(request));
    const [first, second] = [
      failure(worker.request(subject, 1, 60_000).reply),
      failure(other.request(own, 1, 60_000).reply),
    ];
    await until('both are held', () => held.length === 2);
    links.worker.close();
    t.strictSame(await Promise.all([first, second]), ['disconnected', 'disconnected']);
    await until('the request of the worker is cancelled', () => cancelled === 1);
    t.equal(await failure(other.request(own, 2, 60_000).reply), 'nobody');
    await other.close();
  },
);
