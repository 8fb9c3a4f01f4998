/** Cluster face: actor hosts start, stop, drain and die without a failed request. */
import t from 'tap';
import { streamActorKey, toRealmId, toStreamId } from '#model';
import type { ClusterStatus } from '#ports/placement';
import { rounds } from '../support/rounds.js';
import type { Api } from './support/api.js';
import { Follower, Sender, stopTraffic } from './support/chatter.js';
import { Cluster, PLACEMENT_LOOK_MS } from './support/face.js';
import { checkNothingLost, killUnderTraffic, STREAM } from './support/kill.js';
import { services } from './support/missing.js';
import { HANG_TIMEOUT_MS, until } from './support/wait.js';

/** Pause between two sends to a stream. */
const PAUSE_MS = rounds(500, 50);
const HOSTS = rounds(2, 3);
const STREAMS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

/** Sends to streams on many partitions, one send at a time per stream, and records the longest duration. */
class Probe {
  readonly errors: unknown[] = [];
  #longest = 0;
  #running = true;
  readonly #done: Promise<unknown>;

  constructor(api: Api) {
    this.#done = Promise.all(STREAMS.map((stream) => this.#run(api, stream)));
  }

  /** Longest send in ms since the previous call. */
  longest(): number {
    const longest = Math.round(this.#longest);
    this.#longest = 0;
    return longest;
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#done;
  }

  async #run(api: Api, stream: string): Promise<void> {
    for (let n = 1; this.#running; n++) {
      const start = performance.now();
      await api.send(stream, `${stream} ${n}`).catch((error: unknown) => this.errors.push(error));
      this.#longest = Math.max(this.#longest, performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

const cluster = services();
if (cluster) {
  const face = await Cluster.start(cluster, HOSTS);
  t.teardown(() => face.stop());
  const living = () => face.hosts.filter((host) => !host.over);

  t.test('no request fails when one of several hosts dies, joins, leaves or is drained', async (test) => {
    const [a, b] = [face.api(0), face.api(1)];
    await a.subscribe(STREAM, ...STREAMS);
    await face.owned(living());
    const shares = async (): Promise<number[]> => {
      const owners = await face.owners();
      return living().map(({ pid }) => owners.filter((owner) => owner === pid).length);
    };
    // The first host may own all partitions at first; partitions are handed over in batches.
    await until(
      'each host owns more than 40 partitions',
      async () => Math.min(...(await shares())) > 40,
      HANG_TIMEOUT_MS,
      PLACEMENT_LOOK_MS,
    );
    await face.owned(living());

    const follower = await Follower.start([b]);
    const other = await Follower.start([face.api(1, face.other)]);
    const sender = new Sender([a], STREAM, 'm', HANG_TIMEOUT_MS, rounds(1, 2));
    const probe = new Probe(b);
    test.teardown(() => Promise.all([stopTraffic(sender, follower), probe.stop(), other.stop()]));

    const realm = toRealmId(Number((await face.command('realm', 'list')).split('\t')[0]));
    const { stream_id } = await a.ok('GET', '/get_stream_id', { stream: STREAM });
    const busy = streamActorKey(realm, toStreamId(stream_id as number));
    await killUnderTraffic(test, sender, async () => {
      const victim = await face.hostOf(busy);
      await victim.kill();
      const ms = await face.owned(living());
      // The documented limit is five seconds. `npm run chaos` checks it on an idle machine.
      test.comment(`all partitions are served again ${Math.round(ms)} ms after kill -9`);
    });
    test.comment(`the longest send across the kill took ${probe.longest()} ms`);

    const before = await face.owners();
    const newcomer = await face.addHost();
    test.comment(`a new host has its share after ${Math.round(await face.owned(living()))} ms`);
    // Partitions are handed over in batches.
    const its = (owners: readonly unknown[]): number => owners.filter((owner) => owner === newcomer.pid).length;
    await until(
      'the new host owns more than 40 partitions',
      async () => its(await face.owners()) > 40,
      HANG_TIMEOUT_MS,
      PLACEMENT_LOOK_MS,
    );
    await face.owned(living());
    const after = await face.owners();
    const moved = after.filter((owner, p) => owner !== before[p]);
    test.ok(moved.length > 40 && moved.every((owner) => owner === newcomer.pid), `${moved.length} partitions moved`);
    test.comment(`the longest send while a host joined took ${probe.longest()} ms`);

    const leaver = await face.hostOf(busy);
    const ended = await leaver.stop();
    test.equal(ended.code, 0);
    await face.owned(living());
    test.comment(`the longest send while a host left took ${probe.longest()} ms`);

    await face.addHost();
    await face.owned(living());
    const status = await face.attempt('cluster', 'status');
    test.equal(status.code, 0, status.stdout + status.stderr);
    test.match(status.stdout, /256 of 256 partitions have a living owner/);
    const view = async (): Promise<ClusterStatus> =>
      JSON.parse((await face.attempt('cluster', 'status', '--json')).stdout) as ClusterStatus;
    const [first] = (await view()).hosts.filter(({ state }) => state === 'alive');
    const drained = await face.attempt('cluster', 'drain', first!.id.slice(0, 6));
    test.equal(drained.code, 0, drained.stdout + drained.stderr);
    const { hosts, unowned } = await view();
    const now = hosts.find(({ id }) => id === first!.id)!;
    test.same([now.state, now.partitions, now.serving, unowned], ['drained', 0, 0, []]);
    test.comment(`the longest send while a host was drained took ${probe.longest()} ms`);
    test.equal((await face.attempt('cluster', 'undrain', first!.name)).code, 0);
    await until(
      'the undrained host serves partitions again',
      async () => (await view()).hosts.some((h) => h.id === now.id && h.serving > 0),
      HANG_TIMEOUT_MS,
      PLACEMENT_LOOK_MS,
    );
    const unknown = await face.attempt('cluster', 'drain', 'nobody');
    test.same([unknown.code, unknown.stderr.includes("no host is called 'nobody'")], [1, true], unknown.stderr);

    await probe.stop();
    await sender.stop();
    test.strictSame(probe.errors, [], 'no send failed');
    test.strictSame(sender.failed, []);
    test.strictSame([follower.errors, other.errors], [[], []], 'no poll failed');
    other.stop();
    await checkNothingLost(test, b, sender, follower);
  });

  t.test('after all hosts died, partitions have no owner until a new host takes them over', async (test) => {
    const a = face.api(0);
    await a.subscribe(STREAM);
    const { queue_id, last_event_id } = await a.register();
    await Promise.all(living().map((host) => host.kill()));
    const status = await face.attempt('cluster', 'status');
    test.equal(status.code, 1, 'the exit code reports partitions without a living owner');
    test.match(status.stdout, /0 of 256 partitions have a living owner/);
    // Sends in this state fail quickly with 503: tested in no-hosts.test.ts.
    await face.owned([await face.addHost()]);
    await a.send(STREAM, 'is anybody there?');
    const events = await a.events(queue_id, last_event_id);
    test.ok(events.some(({ message }) => message?.content.includes('is anybody there?')));
  });
}
