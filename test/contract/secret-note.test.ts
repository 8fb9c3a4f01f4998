/** Stored note about the server secret: the Store of each face detects a process with another secret. */
import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import t, { type Test } from 'tap';
import { checkOrStoreServerSecretFingerprint, compareServerSecretWithStore } from '#app/server';
import { REAL_CLOCK } from '#base/clock';
import { ServerCryptography } from '#domain/secrets';
import { toEpoch, toRealmId, toUserId, userActorKey } from '#model';
import {
  LmdbStore,
  MongoStore,
  makeLmdbSecretCheckNote,
  openLmdbEnvironment,
  type ServerSecretCheckNote,
  type Store,
  withMongoSecretCheckNote,
} from '#ports/store';

interface Written {
  readonly store: Store;
  note<T>(action: (note: ServerSecretCheckNote) => Promise<T>): Promise<T>;
}

const [own, other] = [
  new ServerCryptography('the secret of this server'),
  new ServerCryptography('the secret of another server'),
];
const REFUSED = { name: 'ServerConfigError', message: /^the data .*another server secret.*conclave secret changed$/ };

/** Stores an account as the program does. */
async function account(store: Store, user: number, keySealed: string): Promise<void> {
  const write = { epoch: toEpoch(1), expected: 0, outbox: [], due: null, records: [] };
  const state = { phase: 'active', passwordHash: null, keySealed };
  await store.commit({ ...write, key: userActorKey(toRealmId(1), toUserId(user)), state });
}

function facts(t: Test, name: string, make: (t: Test) => Promise<Written>): void {
  t.test(`${name}: the first process stores a note, and processes with another secret are refused`, async (t) => {
    const { note } = await make(t);
    const check = (secrets: ServerCryptography) =>
      note((of) => checkOrStoreServerSecretFingerprint(of, secrets, 'the data'));
    t.equal(await note((of) => compareServerSecretWithStore(of, other, 'the data')), 'none yet');
    await check(own);
    await check(own);
    await t.rejects(check(other), REFUSED);
    await t.rejects(
      note((of) => compareServerSecretWithStore(of, other, 'the data')),
      REFUSED,
    );
    t.equal(await note((of) => compareServerSecretWithStore(of, own, 'the data')), 'own');
    await note((of) => of.replace(other.secretFingerprint));
    await check(other);
    await t.rejects(check(own), REFUSED, 'after a deliberate change the former secret is refused');
  });

  t.test(`${name}: one of two processes that start together with different secrets is refused`, async (t) => {
    const { note } = await make(t);
    const both = [own, other].map((secrets) =>
      note((of) => checkOrStoreServerSecretFingerprint(of, secrets, 'the data')),
    );
    const ended = await Promise.allSettled(both);
    t.strictSame(ended.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });

  t.test(`${name}: in data without a note the secret is checked by the sealed keys`, async (t) => {
    const { store, note } = await make(t);
    // Bots have no sealed key.
    await account(store, 8, '');
    await account(store, 9, own.seal('a key'));
    await account(store, 10, own.seal('another key'));
    // Key sealed by a process that joined with another secret.
    await account(store, 11, other.seal('a key that nobody else can open'));
    await t.rejects(
      note((of) => checkOrStoreServerSecretFingerprint(of, other, 'the data')),
      REFUSED,
    );
    t.equal(await note((of) => of.read()), undefined, 'a refused process leaves no note');
    await note((of) => checkOrStoreServerSecretFingerprint(of, own, 'the data'));
    t.equal(await note((of) => of.read()), own.secretFingerprint);
  });
}

facts(t, 'embedded', async (t) => {
  const environment = await openLmdbEnvironment(t.testdir());
  t.teardown(() => environment.close());
  return {
    store: new LmdbStore(environment, REAL_CLOCK),
    note: (action) => action(makeLmdbSecretCheckNote(environment)),
  };
});

const server = process.env.MONGODB_URL;
if (!server) {
  if (process.env.CI) t.fail('MONGODB_URL is not set');
  else t.test('cluster', { skip: 'MONGODB_URL is not set: see deploy/dev/services' }, async () => undefined);
} else {
  facts(t, 'cluster', async (t) => {
    const url = new URL(server);
    url.pathname = `/conclave_test_${randomBytes(6).toString('hex')}`;
    const store = await MongoStore.connect(url.href, REAL_CLOCK);
    t.teardown(async () => {
      await store.close();
      const client = await new MongoClient(url.href, { retryWrites: false }).connect();
      await client.db().dropDatabase();
      await client.close();
    });
    return { store, note: (action) => withMongoSecretCheckNote(url.href, action) };
  });
}
