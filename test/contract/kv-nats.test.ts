import t from 'tap';
import { NatsKeyValueStore, NoPlacementBucketError } from '#ports/placement';
import { natsUrl } from '../support/nats.js';
import { deleteBucket, testBucket } from '../support/nats-bucket.js';
import { kvContract } from './kv.js';

const url = natsUrl();
if (url) {
  kvContract(t, 'NatsKv', async () => {
    const bucket = testBucket();
    const [a, b] = [await NatsKeyValueStore.connect(url, { bucket }), await NatsKeyValueStore.connect(url, { bucket })];
    return {
      a,
      b,
      async close() {
        await Promise.all([a.close(), b.close()]);
        await deleteBucket(url, bucket);
      },
    };
  });

  t.test('NatsKv: hosts that start together create one bucket', async (t) => {
    for (let round = 0; round < 10; round++) {
      const bucket = testBucket();
      const hosts = await Promise.all(Array.from({ length: 6 }, () => NatsKeyValueStore.connect(url, { bucket })));
      try {
        const written = await Promise.all(hosts.map((host, i) => host.put(`host.${i}`, 'here', 0)));
        t.notOk(written.includes(undefined));
        t.equal((await hosts[0]!.readAll()).size, hosts.length);
      } finally {
        await Promise.all(hosts.map((host) => host.close()));
        await deleteBucket(url, bucket);
      }
    }
  });

  t.test('NatsKv: a lost bucket is created again, but not by a client that only reads', async (t) => {
    const bucket = testBucket();
    const a = await NatsKeyValueStore.connect(url, { bucket });
    const looking = await NatsKeyValueStore.connect(url, { bucket, existing: true });
    t.teardown(async () => {
      await Promise.all([a.close(), looking.close()]);
      await deleteBucket(url, bucket);
    });
    await t.rejects(looking.readAll(), NoPlacementBucketError);
    await a.put('k', 'one', 0);
    t.equal((await looking.readAll()).size, 1);
    await deleteBucket(url, bucket);
    await t.rejects(looking.readAll());
    await t.rejects(looking.readAll(), NoPlacementBucketError);
    await t.rejects(a.readAll());
    t.equal((await a.readAll()).size, 0);
    t.ok(await a.put('k', 'again', 0));
  });
}
