/** The organization in which every run begins: made once per process, by the commands that make any organization. */
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
import { ClusterWorld } from './cluster-world.js';
import type { HttpAnswer, Params } from './http-call.js';
import type { StoredEntry } from './sim-log.js';

export interface SimPerson {
  readonly name: string;
  readonly id: number;
  readonly authorization: string;
}

export interface SimStream {
  readonly name: string;
  readonly id: number;
  readonly isPrivate: boolean;
}

/** Never gets into a private stream. */
export const OUTSIDER = 'dora';
/** Is deactivated in some runs. */
export const LEAVER = 'eve';
/** Those that others subscribe and unsubscribe. */
export const MOVERS = ['carl', LEAVER];

export interface Beginning {
  readonly realm: RealmId;
  readonly store: MemoryStoreContents;
  readonly log: readonly StoredEntry[];
  /** Wall time. */
  readonly now: number;
  readonly people: readonly SimPerson[];
  readonly streams: readonly SimStream[];
  /** Partitions of all actors that a run can reach. */
  readonly partitions: readonly Partition[];
}

const PEOPLE = ['olaf', 'anna', 'bert', 'carl', OUTSIDER, LEAVER];
const NOTIFIER = toUserId(1);
const FIRST = 8;
/** Groups of users who write direct messages to each other. */
export const CONVERSATIONS = [
  ['anna', 'bert'],
  ['anna', 'carl', OUTSIDER],
  ['olaf', LEAVER],
];

/** @param realm 1 in every run */
function reachable(realm: RealmId, streams: readonly number[]): Partition[] {
  const users = PEOPLE.map((_, i) => FIRST + i);
  const keys: ActorKey[] = [];
  for (const id of [toRealmId(0), realm]) keys.push(realmActorKey(id), mailActorKey(id), presenceActorKey(id));
  for (const id of [toUserId(0), NOTIFIER]) keys.push(userActorKey(realm, id));
  for (const id of users) keys.push(userActorKey(realm, toUserId(id)));
  for (const id of streams) keys.push(streamActorKey(realm, toStreamId(id)));
  // The notification bot tells those whom others subscribe.
  for (const id of users) keys.push(directMessageActorKey(realm, [NOTIFIER, toUserId(id)]));
  for (const names of CONVERSATIONS)
    keys.push(
      directMessageActorKey(
        realm,
        names.map((name) => toUserId(FIRST + PEOPLE.indexOf(name))),
      ),
    );
  return [...new Set(keys.map(partitionOfActor))];
}

async function make(): Promise<Beginning> {
  const realm = toRealmId(1);
  const partitions = reachable(realm, [1, 2, 3, 4, 5]);
  const world = new ClusterWorld({ seed: 2, partitions, hosts: 1, fronts: 1, prefix: 'g' });
  world.faults.open = 1;
  world.start();
  const through = async <T>(promise: Promise<T>): Promise<T> => {
    let over = false;
    const settled = promise.finally(() => {
      over = true;
    });
    settled.catch(() => undefined);
    // Passwords are hashed off the main thread, in real time: simulated time must not run away meanwhile.
    while (!over) {
      if (world.scheduler.waiting > 0) await world.step();
      else {
        world.clock.advance(1);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
    return settled;
  };
  const front = world.fronts[0]!;
  const { secrets, actorClient } = front.node;
  const actors = new BusSystemActorCaller(actorClient, async () => undefined);
  const address = (name: string): string => `${name}@sim.example.com`;
  const { ownerKey } = await through(
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
  const people: SimPerson[] = [{ name: 'olaf', id: FIRST, authorization: basic('olaf', ownerKey) }];
  for (const name of PEOPLE.slice(1)) {
    const of = { email: address(name), name, password: `sadly-walrus-${name}-81`, role: USER_ROLE.member };
    const id = await through(createUserAndReturnId(actors, realm, of));
    const key = await through(readOrRenewUserApiKey(actors, secrets, realm, address(name)));
    people.push({ name, id, authorization: basic(name, key) });
  }
  const call = async (path: string, params: Params, method = 'POST'): Promise<HttpAnswer['body']> => {
    const request = { method, path, params, authorization: people[0]!.authorization, label: path };
    const { status, body } = await through(
      new Promise<HttpAnswer>((resolve) => void world.call(request, front, resolve)),
    );
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const idOf = (name: string): number => people.find((person) => person.name === name)!.id;
  const wanted = [
    { name: 'open', isPrivate: false, members: ['olaf', 'anna', 'bert', 'carl', OUTSIDER, LEAVER] },
    { name: 'team', isPrivate: true, members: ['olaf', 'anna', 'bert'] },
    { name: 'side', isPrivate: false, members: ['olaf', 'anna', OUTSIDER] },
  ];
  for (const { name, isPrivate, members } of wanted) {
    await call('/users/me/subscriptions', {
      subscriptions: [{ name }],
      principals: members.map(idOf),
      invite_only: isPrivate,
      announce: false,
    });
  }
  const { streams } = await call('/register', { event_types: [], fetch_event_types: ['stream'] });
  const found = (streams as { name: string; stream_id: number; invite_only: boolean }[]).map(
    ({ name, stream_id, invite_only }) => ({ name, id: stream_id, isPrivate: invite_only }),
  );
  // All work started so far is finished: the runs start without running work.
  const rest = world.clock.monotonic() + 60_000;
  while (world.clock.monotonic() < rest) await world.step();
  await through(world.hosts[0]!.host.passivateIdleActors(0));
  while (world.hosts[0]!.host.activeActorCount > 0 || world.scheduler.waiting > 0) await world.step();
  const begun = { realm, log: [...world.log.entries], now: world.clock.now(), people, streams: found, partitions };
  return { ...begun, store: world.store.contents.snapshot() };
}

let made: Promise<Beginning> | undefined;

export const beginning = (): Promise<Beginning> => {
  made ??= make();
  return made;
};
