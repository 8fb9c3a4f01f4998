import t from 'tap';
import type { Json } from '#base';
import { EventQueueCursor, RealmEventFeeds } from '#delivery';
import { DirectoryReplicas } from '#directory';
import { productEmojiForm } from '#domain/emoji';
import { type RealmId, toLogSeq, toRealmId } from '#model';
import type { ActorClient } from '#runtime';
import { snapshotWith } from '../../support/directory.js';
import { FakeClock, settle } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { MemoryStore } from '../../support/memory-store.js';
import { person } from '../../support/person.js';

const REALM = toRealmId(1);
const HOUR = 3_600_000;

function world() {
  const clock = new FakeClock();
  const log = new MemoryLog({});
  let version = 5;
  let fetches = 0;
  const send = () => {
    fetches++;
    const value = snapshotWith({ version, users: [person(1)] }) as unknown as Json;
    return { reply: Promise.resolve({ value }), cancel: () => {} };
  };
  const client = { send, limitBusWaitMs: (usual: number) => usual } as unknown as ActorClient;
  const directories = new DirectoryReplicas(client, log, clock, productEmojiForm('conclave'));
  const feeds = new RealmEventFeeds(directories, log, new MemoryStore({ atomicRecords: true }), clock);
  const open = async (realm: RealmId = REALM): Promise<void> => {
    await directories.waitUntilReady(realm, 0);
  };
  return {
    clock,
    directories,
    feeds,
    open,
    fetched: () => fetches,
    to: (next: number) => {
      version = next;
    },
  };
}

t.test('the replica of an organization without requests is closed, and leaves no timer', async (t) => {
  const { clock, directories, open } = world();
  await open();
  t.equal(directories.openReplicaCount, 1);
  clock.advance(HOUR);
  t.equal(directories.openReplicaCount, 0);
  t.equal(clock.next(), undefined);
});

t.test('a look-up of an open directory opens none, and asks for nothing', async (t) => {
  const { clock, directories, fetched, open } = world();
  t.equal(directories.findOpenReplicaView(REALM), undefined);
  await settle();
  t.equal(fetched(), 0);
  t.equal(clock.next(), undefined, 'no wait is left that could fail');
  await open();
  t.equal(directories.findOpenReplicaView(REALM)?.version, 5);
});

t.test('a replica in use stays open while others close', async (t) => {
  const { clock, directories, open } = world();
  await open();
  await open(toRealmId(2));
  for (let i = 0; i < 20; i++) {
    clock.advance(200_000);
    t.ok(directories.findOpenReplicaView(REALM), 'it was asked for a moment ago');
  }
  t.equal(directories.openReplicaCount, 1);
});

t.test('a reopened replica shows commits of the time between', async (t) => {
  const { clock, directories, open, fetched, to } = world();
  await open();
  clock.advance(HOUR);
  to(9);
  await directories.waitUntilReady(REALM, 9);
  t.equal(directories.currentView(REALM).version, 9);
  t.equal(fetched(), 2);
});

t.test('a realm stays open for its queues, and is followed again when a queue returns', async (t) => {
  const { clock, directories, feeds } = world();
  const queue = {
    user: 1,
    allPublic: false,
    cursor: new EventQueueCursor(toLogSeq(0), {}),
    lives: 0,
    push: () => {},
    pushTransient: () => {},
    wentLive() {
      this.lives++;
    },
    trimmed: () => {},
  };
  const feed = await feeds.of(REALM);
  feed.attach(queue);
  await settle();
  t.equal(queue.lives, 1);
  clock.advance(HOUR);
  t.equal(directories.openReplicaCount, 1);
  feed.detach(queue);
  clock.advance(HOUR);
  t.equal(directories.openReplicaCount, 0);
  const again = await feeds.of(REALM);
  t.not(again, feed, 'the one before hears nothing any more');
  again.attach(queue);
  await settle();
  t.equal(queue.lives, 2);
});
