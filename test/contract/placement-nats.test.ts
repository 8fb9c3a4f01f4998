/** Several hosts on a real NATS server. */
import t from 'tap';
import { REAL_CLOCK as clock } from '#base/clock';
import { ALL_PARTITIONS, ClusterPlacement, NatsKeyValueStore } from '#ports/placement';
import { natsServerBinary, natsUrl, OwnNats } from '../support/nats.js';
import { deleteBucket, testBucket } from '../support/nats-bucket.js';
import { until } from '../support/until.js';
import { MemoryEpochs, placementContract, RecordingOwner } from './placement.js';

const FACTS = { name: 'here/1', version: '1', address: 'here' };

const url = natsUrl();
if (url) {
  placementContract(t, 'ClusterPlacement on NATS', async () => {
    const bucket = testBucket();
    const store = new MemoryEpochs();
    const kv = await NatsKeyValueStore.connect(url, { bucket });
    return {
      store,
      host: () => new ClusterPlacement(kv, clock, store, FACTS),
      close: async () => {
        await kv.close();
        await deleteBucket(url, bucket);
      },
    };
  });
}

const binary = natsServerBinary();
if (binary) {
  t.test('on NATS hosts join, leave and fall silent, and survive a kill and restart of the server', async (t) => {
    const nats = await OwnNats.start(binary);
    const store = new MemoryEpochs();
    const join = async (id: string) => {
      const kv = await NatsKeyValueStore.connect(nats.url);
      const owner = new RecordingOwner();
      const placement = new ClusterPlacement(kv, clock, store, { ...FACTS, id });
      await placement.start(owner);
      const answering = (): number => ALL_PARTITIONS.filter((p) => placement.mayAnswer(p)).length;
      return { id, kv, owner, placement, answering };
    };
    const hosts = [await join('a'), await join('b'), await join('c')];
    const settled = (): boolean => {
      const shares = hosts.map((host) => host.answering());
      const isShared = ALL_PARTITIONS.every((p) => hosts.filter((h) => h.placement.mayAnswer(p)).length === 1);
      return isShared && Math.max(...shares) - Math.min(...shares) <= 1;
    };
    t.comment(`shared after ${Math.round(await until('shared', settled))} ms`);
    hosts.push(await join('d'));
    t.comment(`a new host has its share after ${Math.round(await until('shared', settled))} ms`);
    const leaver = hosts.shift()!;
    await leaver.placement.stop();
    const left = await until('shared', settled);
    t.ok(left < 1_000, `the share of the leaving host is with the others ${Math.round(left)} ms after it left`);

    await nats.kill();
    await nats.up();
    // Whether or not the restart fits into the lease, all hosts end with their partitions and keep renewing.
    await until('all answer', settled);
    const lost = hosts.filter(({ owner }) => owner.history.at(-1)?.includes('lapsed'));
    t.strictSame(lost, []);

    // The host's connection ends without notice, as if the host had been killed.
    const silent = hosts.pop()!;
    await silent.kv.close();
    const took = await until('the others have everything', settled);
    t.equal(silent.answering(), 0);
    t.ok(took > 1_500 && took < 4_500, `${Math.round(took)} ms after the host fell silent`);
    await until('the silent one was told', () => silent.owner.owned.size === 0);

    await Promise.all([...hosts, silent].map(({ placement }) => placement.stop()));
    t.strictSame(
      hosts.map(({ owner }) => owner.owned.size),
      [0, 0],
    );
    await Promise.all([...hosts, leaver].map(({ kv }) => kv.close()));
    await nats.stop();
  });
}
