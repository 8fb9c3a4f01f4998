/** Start state of every run: an organization with users and streams, created once per process through the product. */
import { BusSystemActorCaller, createRealmWithOwner, createUserAndReturnId, readOrRenewUserApiKey } from '#app/admin';
import { USER_ROLE } from '#domain/people';
import {
  type ActorKey,
  directMessageActorKey,
  mailActorKey,
  type Partition,
  partitionOfActor,
  presenceActorKey,
  type RealmId,
  realmActorKey,
  streamActorKey,
  toRealmId,
  toStreamId,
  toUserId,
  userActorKey,
} from '#model';
import type { MemoryStoreContents } from '../support/memory-store.js';
import type { HttpResponse, Params } from './http-call.js';
import { SimCluster } from './sim-cluster.js';
import type { StoredEntry } from './sim-log.js';

export interface SimUser {
  readonly name: string;
  readonly id: number;
  readonly authorization: string;
}

export interface SimStream {
  readonly name: string;
  readonly id: number;
  readonly isPrivate: boolean;
}

/** User who is never subscribed to a private stream. */
export const OUTSIDER = 'dora';
/** User who is deactivated in some runs. */
export const DEACTIVATED_USER = 'eve';
/** Users whose subscriptions change during a run. */
export const SUBSCRIPTION_CHANGERS = ['carl', DEACTIVATED_USER];

export interface StartState {
  readonly realm: RealmId;
  readonly store: MemoryStoreContents;
  readonly log: readonly StoredEntry[];
  /** Wall time at which the runs start, ms. */
  readonly now: number;
  readonly users: readonly SimUser[];
  readonly streams: readonly SimStream[];
  /** Partitions of all actors that a run can use. */
  readonly partitions: readonly Partition[];
}

const USER_NAMES = ['olaf', 'anna', 'bert', 'carl', OUTSIDER, DEACTIVATED_USER];
const NOTIFICATION_BOT_ID = toUserId(1);
const FIRST_USER_ID = 8;
/** Users of each direct conversation. */
export const DIRECT_CONVERSATIONS = [
  ['anna', 'bert'],
  ['anna', 'carl', OUTSIDER],
  ['olaf', DEACTIVATED_USER],
];

/** @returns the partitions of all actors that a run can use */
function listUsedPartitions(realm: RealmId, streams: readonly number[]): Partition[] {
  const users = USER_NAMES.map((_, i) => FIRST_USER_ID + i);
  const keys: ActorKey[] = [];
  for (const id of [toRealmId(0), realm]) keys.push(realmActorKey(id), mailActorKey(id), presenceActorKey(id));
  for (const id of [toUserId(0), NOTIFICATION_BOT_ID]) keys.push(userActorKey(realm, id));
  for (const id of users) keys.push(userActorKey(realm, toUserId(id)));
  for (const id of streams) keys.push(streamActorKey(realm, toStreamId(id)));
  // The notification bot writes to users whom another user subscribes.
  for (const id of users) keys.push(directMessageActorKey(realm, [NOTIFICATION_BOT_ID, toUserId(id)]));
  for (const names of DIRECT_CONVERSATIONS)
    keys.push(
      directMessageActorKey(
        realm,
        names.map((name) => toUserId(FIRST_USER_ID + USER_NAMES.indexOf(name))),
      ),
    );
  return [...new Set(keys.map(partitionOfActor))];
}

async function buildStartState(): Promise<StartState> {
  const realm = toRealmId(1);
  const partitions = listUsedPartitions(realm, [1, 2, 3, 4, 5]);
  const cluster = new SimCluster({ seed: 2, partitions, hosts: 1, frontends: 1, prefix: 'g' });
  cluster.faults.immediateRate = 1;
  cluster.start();
  const runUntilSettled = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settled = promise.finally(() => {
      isSettled = true;
    });
    settled.catch(() => undefined);
    // Passwords are hashed on other threads in real time; the simulated clock advances by 1 ms per real ms meanwhile.
    while (!isSettled) {
      if (cluster.scheduler.taskCount > 0) await cluster.step();
      else {
        cluster.clock.advance(1);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
    return settled;
  };
  const frontend = cluster.frontends[0]!;
  const { secrets, actorClient } = frontend.node;
  const actors = new BusSystemActorCaller(actorClient, async () => undefined);
  const address = (name: string): string => `${name}@sim.example.com`;
  const { ownerKey } = await runUntilSettled(
    createRealmWithOwner(actors, secrets, {
      subdomain: '',
      name: 'Simulation',
      ownerEmail: address('olaf'),
      ownerName: 'olaf',
      ownerPassword: undefined,
    }),
  );
  const basic = (name: string, key: string): string =>
    `Basic ${Buffer.from(`${address(name)}:${key}`).toString('base64')}`;
  const users: SimUser[] = [{ name: 'olaf', id: FIRST_USER_ID, authorization: basic('olaf', ownerKey) }];
  for (const name of USER_NAMES.slice(1)) {
    const of = { email: address(name), name, password: `sadly-walrus-${name}-81`, role: USER_ROLE.member };
    const id = await runUntilSettled(createUserAndReturnId(actors, realm, of));
    const key = await runUntilSettled(readOrRenewUserApiKey(actors, secrets, realm, address(name)));
    users.push({ name, id, authorization: basic(name, key) });
  }
  const call = async (path: string, params: Params, method = 'POST'): Promise<HttpResponse['body']> => {
    const request = { method, path, params, authorization: users[0]!.authorization, label: path };
    const { status, body } = await runUntilSettled(
      new Promise<HttpResponse>((resolve) => void cluster.call(request, frontend, resolve)),
    );
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const idOf = (name: string): number => users.find((user) => user.name === name)!.id;
  const newStreams = [
    { name: 'open', isPrivate: false, members: ['olaf', 'anna', 'bert', 'carl', OUTSIDER, DEACTIVATED_USER] },
    { name: 'team', isPrivate: true, members: ['olaf', 'anna', 'bert'] },
    { name: 'side', isPrivate: false, members: ['olaf', 'anna', OUTSIDER] },
  ];
  for (const { name, isPrivate, members } of newStreams) {
    await call('/users/me/subscriptions', {
      subscriptions: [{ name }],
      principals: members.map(idOf),
      invite_only: isPrivate,
      announce: false,
    });
  }
  const { streams } = await call('/register', { event_types: [], fetch_event_types: ['stream'] });
  const createdStreams = (streams as { name: string; stream_id: number; invite_only: boolean }[]).map(
    ({ name, stream_id, invite_only }) => ({ name, id: stream_id, isPrivate: invite_only }),
  );
  // The cluster finishes its running work, so that runs start idle.
  const idleEnd = cluster.clock.monotonic() + 60_000;
  while (cluster.clock.monotonic() < idleEnd) await cluster.step();
  await runUntilSettled(cluster.hosts[0]!.host.passivateIdleActors(0));
  while (cluster.hosts[0]!.host.activeActorCount > 0 || cluster.scheduler.taskCount > 0) await cluster.step();
  const startState = {
    realm,
    log: [...cluster.log.entries],
    now: cluster.clock.now(),
    users,
    streams: createdStreams,
    partitions,
  };
  return { ...startState, store: cluster.store.contents.snapshot() };
}

let cached: Promise<StartState> | undefined;

export const makeStartState = (): Promise<StartState> => {
  cached ??= buildStartState();
  return cached;
};
