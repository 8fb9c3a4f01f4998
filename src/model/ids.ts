/**
 * Branded identifiers, and the actor keys and bus subjects made of them.
 *
 * Only this file builds bus subjects and Store keys, and only from numbers, hashes and UUIDs. So text that a user chose
 * never becomes part of a subject or key.
 */
import { createHash } from 'node:crypto';

declare const brand: unique symbol;
declare const kind: unique symbol;
type Branded<T, B> = T & { readonly [brand]: B };

export type RealmId = Branded<number, 'RealmId'>;
export type UserId = Branded<number, 'UserId'>;
export type StreamId = Branded<number, 'StreamId'>;
type QueueId = Branded<string, 'QueueId'>;
/** Fencing number of an activation: once a larger epoch is in the Store, smaller epochs can't write any more. */
export type Epoch = Branded<number, 'Epoch'>;
/** Group of actors with one owner: 0 … PARTITION_COUNT - 1. */
export type Partition = Branded<number, 'Partition'>;
/** Store key and mailbox address of an actor; `K`: its kind. */
export type ActorKey<K extends ActorKindName = ActorKindName> = Branded<string, 'ActorKey'> & { readonly [kind]: K };
/** Position in the log of a realm: 1 is the first entry, 0 the position before it. */
export type Seq = Branded<number, 'Seq'>;

export const realmId = (n: number): RealmId => n as RealmId;
export const userId = (n: number): UserId => n as UserId;
export const streamId = (n: number): StreamId => n as StreamId;
export const queueId = (s: string): QueueId => s as QueueId;
export const epoch = (n: number): Epoch => n as Epoch;
export const seq = (n: number): Seq => n as Seq;
export const partition = (n: number): Partition => n as Partition;

/** Fixed for the life of a cluster (architecture/ports.md § Partitions): a change would move every actor. */
export const PARTITION_COUNT = 256;

/** Prefixes of actor keys. They are stored, so they never change; the login guard is `stranger`. */
export type ActorKindName =
  | 'realm'
  | 'user'
  | 'stream'
  | 'dm'
  | 'queue'
  | 'mail'
  | 'presence'
  | 'webhook'
  | 'links'
  | 'stranger';

export const realmKey = (realm: RealmId): ActorKey<'realm'> => `realm/${realm}` as ActorKey<'realm'>;
export const userKey = (realm: RealmId, user: UserId): ActorKey<'user'> => `user/${realm}/${user}` as ActorKey<'user'>;
export const presenceKey = (realm: RealmId): ActorKey<'presence'> => `presence/${realm}` as ActorKey<'presence'>;
export const streamKey = (realm: RealmId, stream: StreamId): ActorKey<'stream'> =>
  `stream/${realm}/${stream}` as ActorKey<'stream'>;
/** Key of the actor that sends an organization's mails. */
export const mailKey = (realm: RealmId): ActorKey<'mail'> => `mail/${realm}` as ActorKey<'mail'>;
/** Key of the actor that makes the calls of one outgoing webhook bot. */
export const webhookKey = (realm: RealmId, bot: UserId): ActorKey<'webhook'> =>
  `webhook/${realm}/${bot}` as ActorKey<'webhook'>;
/** Key of the actor that fetches the pages that an organization's messages link. */
export const linkPreviewKey = (realm: RealmId): ActorKey<'links'> => `links/${realm}` as ActorKey<'links'>;
/** Key of the actor that counts log-ins with unknown addresses whose hash falls into this slot. */
export const loginGuardKey = (realm: RealmId, slot: number): ActorKey<'stranger'> =>
  `stranger/${realm}/${slot}` as ActorKey<'stranger'>;
export const queueKey = (realm: RealmId, user: UserId, queue: QueueId): ActorKey<'queue'> =>
  `queue/${realm}/${user}/${queue}` as ActorKey<'queue'>;

/** Key of the actor of a direct-message conversation: its sorted participants, or the hash of more than 8. */
export function directMessageKey(realm: RealmId, participants: readonly UserId[]): ActorKey<'dm'> {
  const sorted = [...new Set(participants)].sort((a, b) => a - b);
  const set = sorted.join(',');
  return `dm/${realm}/${sorted.length <= 8 ? set : `h${createHash('sha256').update(set).digest('hex').slice(0, 40)}`}` as ActorKey<'dm'>;
}

interface ParsedActorKey {
  readonly kind: ActorKindName;
  readonly realm: RealmId;
  /** Rest of the actor key behind the realm: a user id, a stream id, a set of users, or `user/queue`. */
  readonly rest: string;
}

export function parseActorKey(key: ActorKey): ParsedActorKey {
  const first = key.indexOf('/');
  const second = key.indexOf('/', first + 1);
  const kind = key.slice(0, first) as ActorKindName;
  const realm = realmId(Number(second < 0 ? key.slice(first + 1) : key.slice(first + 1, second)));
  return { kind, realm, rest: second < 0 ? '' : key.slice(second + 1) };
}

/**
 * Partition of an actor: the FNV-1a hash of its key. A queue is on the partition of its user, so that both have the
 * same owner.
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

/** Bus subject on which the owner of a partition takes commands. */
export const partitionSubject = (p: Partition): string => `c.p.${p}`;
/** Log subject of a realm. */
export const realmSubject = (realm: RealmId): string => `ev.${realm}`;
