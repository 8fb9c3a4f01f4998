import t from 'tap';
import type { Json } from '#base';
import { DirectoryReplica, type DirectorySnapshot } from '#directory';
import { productEmojiForm } from '#domain/emoji';
import { realmActorKey, toRealmId, toUserId } from '#model';
import type { AccountSessions, EndedCredentialKind } from '#model/records';
import { snapshotWith } from '../../support/directory.js';
import { FakeClock } from '../../support/fake-clock.js';
import { Gate } from '../../support/gate.js';
import { MemoryLog } from '../../support/memory-log.js';
import { until } from '../../support/until.js';

const REALM = toRealmId(1);

const snapshotAt = (version: number, subdomain = ''): DirectorySnapshot => snapshotWith({ version, subdomain });

async function world(ended: (hash: string, kind: EndedCredentialKind) => void = () => {}) {
  const log = new MemoryLog({});
  const clock = new FakeClock();
  const server: { snapshot: DirectorySnapshot; fetches: number; gate: Promise<void> | undefined } = {
    snapshot: snapshotAt(5),
    fetches: 0,
    gate: undefined,
  };
  const replica = await DirectoryReplica.openAndLoad(
    REALM,
    log,
    async () => {
      const { snapshot } = server;
      server.fetches++;
      await server.gate;
      return snapshot;
    },
    clock,
    productEmojiForm('conclave'),
    ended,
  );
  const append = (v: number, ...items: Json[]) =>
    log.append(REALM, { actor: realmActorKey(REALM), groups: [{ v, p: v - 1, items }] } as unknown as Json);
  return { replica, server, append, clock };
}

const change = (name: string): Json => ({ t: 'directory', change: { settings: { name } } });

t.test('only commits that change the directory move its version', async (test) => {
  const { replica, append } = await world();
  await append(6, { t: 'event', to: { users: [1] }, event: { type: 'x' } });
  await append(7, change('seven'));
  await until('the change is applied', () => replica.directoryView.settings.name === 'seven');
  test.equal(replica.directoryView.version, 7);
  await append(8, { t: 'event', to: { users: [1] }, event: { type: 'x' } });
  await replica.logTail.waitUntilCaughtUp();
  test.equal(replica.directoryView.version, 7);
});

t.test('a version that the log does not bring is loaded by a new snapshot', async (test) => {
  const { replica, server, clock } = await world();
  test.equal(replica.waitForVersion(5), undefined);
  server.snapshot = snapshotAt(6);
  const reached = replica.waitForVersion(6);
  await until('the replica waits', () => clock.next() !== undefined);
  clock.advance(clock.next()!);
  await reached;
  test.equal(replica.directoryView.version, 6);
  test.equal(server.fetches, 2);
});

t.test('a change acknowledged before it is in the log costs no snapshot', async (test) => {
  const { replica, server, append, clock } = await world();
  const reached = replica.waitForVersion(6);
  await until('the replica waits', () => clock.next() !== undefined);
  await append(6, change('six'));
  await reached;
  clock.advance(clock.next()!);
  await replica.logTail.waitUntilCaughtUp();
  test.equal(replica.directoryView.settings.name, 'six');
  test.equal(server.fetches, 1);
});

t.test('entries that arrive during a snapshot are applied to it', async (test) => {
  const { replica, server, append, clock } = await world();
  const gate = new Gate();
  server.gate = gate.opened;
  // This request is sent before the change below and answered after it.
  server.snapshot = snapshotAt(5, 'second');
  const reached = replica.waitForVersion(6);
  await until('the replica waits', () => clock.next() !== undefined);
  clock.advance(clock.next()!);
  await until('the snapshot is asked for', () => server.fetches === 2);
  await append(7, change('seven'));
  await until('the change is applied', () => replica.directoryView.settings.name === 'seven');
  await reached;
  gate.open();
  await until('the snapshot is there', () => replica.directoryView.subdomain === 'second');
  test.equal(replica.directoryView.settings.name, 'seven');
  test.equal(replica.directoryView.version, 7);
});

t.test('every way in which a session disappears is reported, and nothing else', async (test) => {
  const gone: string[] = [];
  const { replica, server, append, clock } = await world((hash, kind) => void gone.push(`${kind} ${hash}`));
  const withSessions = (...hashes: string[]): AccountSessions => ({
    user: toUserId(8),
    last: 9,
    sessions: hashes.map((hash, i) => ({ id: i + 1, hash, client: 'Firefox', created: 0, used: 0 })),
    links: [],
    endedAt: 0,
  });
  const put = (v: number, ...hashes: string[]) =>
    append(v, { t: 'directory', change: { session: withSessions(...hashes) } } as unknown as Json);
  await put(6, 'a', 'b', 'c');
  await put(7, 'a', 'b', 'c', 'd');
  await until('the sessions are known', () => replica.directoryView.sessionByHash('d') !== undefined);
  test.equal(replica.directoryView.sessionByHash('a')?.user, 8);
  test.same(gone, []);
  await put(8, 'a', 'c', 'd');
  await until('one has ended', () => replica.directoryView.sessionByHash('b') === undefined);
  test.same(gone, ['session b']);
  server.snapshot = snapshotWith({ version: 9, sessions: [withSessions('a')] });
  const reached = replica.waitForVersion(9);
  await until('the replica waits', () => clock.next() !== undefined);
  clock.advance(clock.next()!);
  await reached;
  test.same(gone.sort(), ['session b', 'session c', 'session d'], 'a new snapshot lacks them');
});
