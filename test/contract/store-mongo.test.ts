import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { MongoClient } from 'mongodb';
import t from 'tap';
import { toEpoch, toRealmId, toUserId, type UserId, userActorKey } from '#model';
import { MongoStore } from '#ports/store';
import { FakeClock } from '../support/fake-clock.js';
import { freePort } from '../support/free-port.js';
import { storeContract } from './store.js';

const server = process.env.MONGODB_URL;
const key = (user: number) => userActorKey(toRealmId(1), toUserId(user) as UserId);
const write = { epoch: toEpoch(1), expected: 0, state: 1, outbox: [], due: null, records: [] };

t.test('connecting to a closed port fails soon and names the server', async (t) => {
  const port = await freePort();
  await t.rejects(MongoStore.connect(`mongodb://user:secret@127.0.0.1:${port}/x`, new FakeClock()), {
    name: 'StoreUnavailableError',
    message: new RegExp(`^MongoDB at mongodb://127.0.0.1:${port} can't be used`),
  });
});

if (!server) {
  if (process.env.CI) t.fail('MONGODB_URL is not set');
  else t.test('MongoStore', { skip: 'MONGODB_URL is not set: see deploy/dev/services' }, async () => undefined);
} else {
  const name = `conclave_test_${randomBytes(6).toString('hex')}`;
  const url = withDatabase(server, name);
  t.teardown(async () => {
    const client = await new MongoClient(server, { retryWrites: false }).connect();
    await client.db(name).dropDatabase();
    await client.close();
  });

  storeContract(t, 'MongoStore', () => MongoStore.connect(url, new FakeClock()));

  t.test('a cut connection rejects with StoreUnavailable, and the store recovers by itself', async (t) => {
    const proxy = await cuttable(server);
    const clock = new FakeClock();
    const store = await MongoStore.connect(withDatabase(`mongodb://127.0.0.1:${proxy.port}`, name), clock);
    t.equal(await store.commit({ ...write, key: key(1) }), 'ok');
    proxy.cut();
    const failing = await Promise.allSettled([
      store.loadRoot(key(1), toEpoch(1)),
      store.commit({ ...write, key: key(2) }),
      store.applyRecords([{ type: 'part', key: key(1), part: 'p', rev: 1, value: 1 }]),
      store.listParts(key(1), ''),
      store.scanMessages({ realm: toRealmId(1), index: { by: 'realm' }, from: 0, direction: 'newer', limit: 1 }),
      store.ping(),
    ]);
    for (const f of failing) t.match(f, { status: 'rejected', reason: { name: 'StoreUnavailableError' } });
    await proxy.mend();
    await store.ping();
    t.match(await store.loadRoot(key(1), toEpoch(1)), { version: 1 });
    await store.applyRecords([{ type: 'part', key: key(1), part: 'p', rev: 1, value: 1 }]);
    t.strictSame(await store.listParts(key(1), ''), [{ part: 'p', rev: 1, value: 1 }]);
    proxy.freeze();
    const ping = store.ping();
    clock.advance(3_000);
    await t.rejects(ping, { name: 'StoreUnavailableError' }, 'a ping to a silent server fails instead of hanging');
    proxy.cut();
    await store.close();
  });

  t.test('an interrupted removal is completed by the next load', async (t) => {
    const store = await MongoStore.connect(url, new FakeClock());
    const client = await new MongoClient(server, { retryWrites: false }).connect();
    const user = key(77);
    await store.commit({ ...write, key: user });
    await store.applyRecords([{ type: 'part', key: user, part: 'p', rev: 1, value: 1 }]);
    const roots = client.db(name).collection<{ _id: string }>('roots');
    await roots.updateOne({ _id: user }, { $set: { version: -1, sleeper: true, pending: true } });
    t.equal(await store.commit({ ...write, key: user, expected: 1 }), 'conflict');
    t.equal(await store.loadRoot(user, toEpoch(2)), null);
    t.strictSame(await store.listParts(user, ''), []);
    t.equal(await store.commit({ ...write, key: user }), 'ok');
    await client.close();
    await store.close();
  });

  t.test('thousands of writes in one tick are sent in bulks and all are stored', async (t) => {
    const store = await MongoStore.connect(url, new FakeClock());
    const user = key(78);
    const parts = Array.from({ length: 2_300 }, (_, i) => ({
      type: 'part' as const,
      key: user,
      part: `${i}`,
      rev: 1,
      value: i,
    }));
    const big = Array.from({ length: 20 }, (_, i) => ({
      type: 'part' as const,
      key: user,
      part: `big${i}`,
      rev: 1,
      value: new Uint8Array(1_000_000).fill(i),
    }));
    await Promise.all([...parts.map((p) => store.applyRecords([p])), store.applyRecords(big)]);
    t.equal((await store.listParts(user, '')).length, 2_320);
    t.strictSame(
      (await store.listParts(user, 'big1')).map((p) => (p.value as Uint8Array)[5]),
      [1, ...Array.from({ length: 10 }, (_, i) => 10 + i)],
    );
    await store.close();
  });
}

function withDatabase(server: string, database: string): string {
  return server.replace(/^([^:]+:\/\/[^/?]+)\/?[^?]*/, `$1/${database}`);
}

/** TCP proxy to the first host of the URL, whose connections can be cut, or frozen so that no replies pass. */
async function cuttable(server: string): Promise<{ port: number; cut(): void; freeze(): void; mend(): Promise<void> }> {
  const [, host = '127.0.0.1', port = '27017'] = /^[^:]+:\/\/(?:[^@/]*@)?([^:/,?]+)(?::(\d+))?/.exec(server) ?? [];
  const sockets = new Set<Socket>();
  let frozen = false;
  const proxy = createServer((near) => {
    const far = connect(Number(port), host);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    if (!frozen) near.pipe(far).pipe(near);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const own = (proxy.address() as AddressInfo).port;
  return {
    port: own,
    cut: () => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
    freeze: () => {
      frozen = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    mend: async () => {
      proxy.listen(own, '127.0.0.1');
      await once(proxy, 'listening');
    },
  };
}
