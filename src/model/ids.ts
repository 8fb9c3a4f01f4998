/**
 * Branded identifiers, and the actor keys and bus subjects made of them.
 *
 * Only this file builds bus subjects and Store keys, and only from numbers, hashes and UUIDs. So text that a user chose
 * never becomes part of a subject or key.
 */
import { createHash } from 'node:crypto';

declare const idBrand: unique symbol;
declare const actorKindBrand: unique symbol;
type Branded<T, B> = T & { readonly [idBrand]: B };

export type RealmId = Branded<number, 'RealmId'>;
export type UserId = Branded<number, 'UserId'>;
export type StreamId = Branded<number, 'StreamId'>;
type EventQueueId = Branded<string, 'QueueId'>;
/** Fencing number of an activation: once a larger epoch is in the Store, smaller epochs can't write any more. */
export type Epoch = Branded<number, 'Epoch'>;
/** Group of actors with one owner: 0 … PARTITION_COUNT - 1. */
export type Partition = Branded<number, 'Partition'>;
/** Key of an actor: its key in the Store and its mailbox address. `K`: kind of the actor. */
export type ActorKey<K extends ActorKindName = ActorKindName> = Branded<string, 'ActorKey'> & {
  readonly [actorKindBrand]: K;
};
/** Position in the log of a realm: 1 is the first entry, 0 the position before it. */
export type LogSeq = Branded<number, 'Seq'>;

export const toRealmId = (n: number): RealmId => n as RealmId;
export const toUserId = (n: number): UserId => n as UserId;
export const toStreamId = (n: number): StreamId => n as StreamId;
export const toEventQueueId = (s: string): EventQueueId => s as EventQueueId;
export const toEpoch = (n: number): Epoch => n as Epoch;
export const toLogSeq = (n: number): LogSeq => n as LogSeq;
export const toPartition = (n: number): Partition => n as Partition;

/**
 * Number of partitions, fixed for the life of a cluster (architecture/ports.md § Partitions): a change would move every
 * actor.
 */
export const PARTITION_COUNT = 256;

/**
 * Kinds of actors, which are the prefixes of actor keys. They are stored, so they never change; the login guard is
 * `stranger`.
 */
const ACTOR_KIND_NAMES = [
  'realm',
  'user',
  'stream',
  'dm',
  'queue',
  'mail',
  'presence',
  'push',
  'webhook',
  'links',
  'stranger',
] as const;
export type ActorKindName = (typeof ACTOR_KIND_NAMES)[number];

export const realmActorKey = (realm: RealmId): ActorKey<'realm'> => `realm/${realm}` as ActorKey<'realm'>;
export const userActorKey = (realm: RealmId, user: UserId): ActorKey<'user'> =>
  `user/${realm}/${user}` as ActorKey<'user'>;
export const presenceActorKey = (realm: RealmId): ActorKey<'presence'> => `presence/${realm}` as ActorKey<'presence'>;
export const streamActorKey = (realm: RealmId, stream: StreamId): ActorKey<'stream'> =>
  `stream/${realm}/${stream}` as ActorKey<'stream'>;
/** Makes the key of the actor that sends an organization's mails. */
export const mailActorKey = (realm: RealmId): ActorKey<'mail'> => `mail/${realm}` as ActorKey<'mail'>;
/** Key of the actor that sends the push notifications of an account. */
export const pushActorKey = (realm: RealmId, user: UserId): ActorKey<'push'> =>
  `push/${realm}/${user}` as ActorKey<'push'>;
/** Makes the key of the actor that makes the calls of one outgoing webhook bot. */
export const webhookActorKey = (realm: RealmId, bot: UserId): ActorKey<'webhook'> =>
  `webhook/${realm}/${bot}` as ActorKey<'webhook'>;
/** Makes the key of the actor that fetches the pages that an organization's messages link. */
export const linkPreviewActorKey = (realm: RealmId): ActorKey<'links'> => `links/${realm}` as ActorKey<'links'>;
/** Makes the key of the actor that counts log-ins with unknown e-mail addresses whose hash falls into this slot. */
export const loginGuardActorKey = (realm: RealmId, slot: number): ActorKey<'stranger'> =>
  `stranger/${realm}/${slot}` as ActorKey<'stranger'>;
export const eventQueueActorKey = (realm: RealmId, user: UserId, queue: EventQueueId): ActorKey<'queue'> =>
  `queue/${realm}/${user}/${queue}` as ActorKey<'queue'>;

/** Makes the key of the actor of a direct-message conversation: its sorted participants, or the hash of more than 8. */
export function directMessageActorKey(realm: RealmId, participants: readonly UserId[]): ActorKey<'dm'> {
  const sorted = [...new Set(participants)].sort((a, b) => a - b);
  const set = sorted.join(',');
  return `dm/${realm}/${sorted.length <= 8 ? set : `h${createHash('sha256').update(set).digest('hex').slice(0, 40)}`}` as ActorKey<'dm'>;
}

/** The keys from `first` up to `end`, without `end`. */
interface ActorKeyRange {
  readonly first: string;
  readonly end: string;
}

/**
 * Returns the ranges that contain the keys of all actors of a realm, also when a blank and a name follow the key. Keys
 * of other realms lie outside: '0' is the character after '/', and the smallest that can continue the realm's number.
 */
export const actorKeyRangesOfRealm = (realm: RealmId): readonly ActorKeyRange[] =>
  ACTOR_KIND_NAMES.map((kind) => ({ first: `${kind}/${realm}`, end: `${kind}/${realm}0` }));

interface ParsedActorKey {
  readonly kind: ActorKindName;
  readonly realm: RealmId;
  /** Part of the actor key behind the realm: a user id, a stream id, a set of users, or `user/queue`. */
  readonly idWithinRealm: string;
}

export function parseActorKey(key: ActorKey): ParsedActorKey {
  const first = key.indexOf('/');
  const second = key.indexOf('/', first + 1);
  const kind = key.slice(0, first) as ActorKindName;
  const realm = toRealmId(Number(second < 0 ? key.slice(first + 1) : key.slice(first + 1, second)));
  return { kind, realm, idWithinRealm: second < 0 ? '' : key.slice(second + 1) };
}

/**
 * Returns the partition of an actor: the FNV-1a hash of its key. An event queue is on the partition of its user, so
 * that both have the same owner.
 */
export function partitionOfActor(key: ActorKey): Partition {
  let end = key.length;
  if (key.startsWith('queue/')) end = key.lastIndexOf('/');
  let hash = 0x811c9dc5;
  for (let i = key.startsWith('queue/') ? 6 : key.startsWith('user/') ? 5 : 0; i < end; i++) {
    hash ^= key.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return ((hash >>> 0) % PARTITION_COUNT) as Partition;
}

/** Returns the bus subject on which the owner of a partition receives commands. */
export const busSubjectOfPartition = (p: Partition): string => `c.p.${p}`;
/** Maximum number of streams of a cluster's log. */
export const MAX_LOG_STREAMS = 64;
/** Returns the number, from 0, of the log stream in which a realm lives, of `count` streams. */
export const logStreamOfRealm = (realm: RealmId, count: number): number => realm % count;
/** Returns the log subject of a realm; of several streams of the log, each has subjects of its own. */
export const logSubjectOfRealm = (realm: RealmId, streamCount = 1): string =>
  streamCount === 1 ? `ev.${realm}` : `ev.${logStreamOfRealm(realm, streamCount)}.${realm}`;
/** Returns the pattern of the log subjects in one stream, which begin with `ev.` like those of `logSubjectOfRealm`. */
export const logSubjectPatternOfStream = (stream: number, streamCount: number): string =>
  streamCount === 1 ? 'ev.>' : `ev.${stream}.>`;
