/** The documents of the Store in MongoDB, their ids and their indexes. */
import { Binary, type Db } from 'mongodb';
import type { Json, JsonObject } from '#base';
import type { ActorKey, RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import { packJsonToBuffer, unpackJson } from './codec.js';
import type { StoredActorPart } from './store.js';

/**
 * The document of an actor's root. Opaque values are packed: exact, and without MongoDB's rules about dots and dollars
 * in keys.
 */
export interface MongoRootDocument {
  readonly _id: ActorKey;
  readonly epoch: number;
  /** The root's version, or ROOT_BEING_REMOVED_VERSION while the actor's parts are being deleted. */
  readonly version: number;
  readonly state: Binary | Uint8Array;
  readonly outbox: Binary | Uint8Array;
  readonly due: number | null;
  readonly pending: boolean;
  /** True if the actor must be woken: `pending`, or `due` is set. */
  readonly sleeper: boolean;
  readonly partition: number;
}

/** Version of a root that is being removed; no commit expects it. */
export const ROOT_BEING_REMOVED_VERSION = -1;

export interface MongoPartDocument {
  readonly _id: string;
  readonly rev: number;
  /** The packed value of the part; missing in a tombstone. */
  readonly value?: Binary | Uint8Array;
  /** Time of deletion, set in a tombstone. A TTL index drops the tombstone an hour later. */
  readonly gone?: Date;
}

export interface MongoMessageDocument {
  readonly _id: string;
  readonly rev: number;
  readonly realm: number;
  readonly id: number;
  /** Conversation of the message. This field and those below are missing in a tombstone. */
  readonly conversation?: string;
  readonly topicKey?: string;
  readonly sender?: number;
  readonly participants?: readonly number[];
  readonly movedFrom?: string;
  readonly tags?: readonly string[];
  readonly body?: Binary | Uint8Array;
  readonly gone?: Date;
}

export interface MongoEpochDocument {
  readonly _id: number;
  readonly epoch: number;
}

export const packToMongoBinary = (value: Json): Binary => new Binary(packJsonToBuffer(value));

/** Returns the bytes of a packed field, which the driver delivers in either type. */
export const bytesOfMongoBinary = (field: Binary | Uint8Array): Uint8Array =>
  field instanceof Uint8Array ? field : field.buffer.subarray(0, field.position);

export const unpackMongoBinary = (field: Binary | Uint8Array): Json => unpackJson(bytesOfMongoBinary(field));

/**
 * Makes the document id of an actor's part. Actor keys have no spaces, so the parts of an actor form one range of ids.
 */
export const mongoPartDocumentId = (key: ActorKey, part: string): string => `${key} ${part}`;

/** Returns the smallest string (by code point, as UTF-8 sorts) above all strings that start with `prefix`. */
export function smallestStringAbovePrefix(prefix: string): string {
  const points = [...prefix];
  for (;;) {
    const last = points.pop()?.codePointAt(0) ?? 0;
    if (last < 0x10ffff) return points.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
  }
}

/**
 * Makes the document id of a message, which sorts as (realm, id) does: DocumentDB keeps only the order of `_id`. 11
 * digits of base 36 hold 2^53.
 */
export const mongoMessageDocumentId = (realm: RealmId, id: number): string =>
  `${realm.toString(36).padStart(11, '0')}/${Math.max(0, Math.min(id, Number.MAX_SAFE_INTEGER)).toString(36).padStart(11, '0')}`;

export function decodeMongoPartDocument(key: ActorKey, found: MongoPartDocument): StoredActorPart | null {
  if (!found.value) return null;
  return { part: found._id.slice(key.length + 1), rev: found.rev, value: unpackMongoBinary(found.value) };
}

export function decodeMongoMessageDocument(found: MongoMessageDocument): MessageRecord | null {
  if (!found.body) return null;
  return {
    id: found.id,
    conversation: found.conversation ?? '',
    topicKey: found.topicKey ?? '',
    sender: found.sender ?? 0,
    participants: found.participants ?? [],
    movedFrom: found.movedFrom ?? '',
    tags: found.tags ?? [],
    body: unpackMongoBinary(found.body) as JsonObject,
  };
}

const TOMBSTONE_LIFETIME_SECONDS = 3_600;

/** Creates the indexes that are missing in the database. */
export async function createMongoIndexes(db: Db): Promise<void> {
  const tombstones = { key: { gone: 1 }, expireAfterSeconds: TOMBSTONE_LIFETIME_SECONDS } as const;
  await db.collection('roots').createIndexes([{ key: { partition: 1, sleeper: 1 } }]);
  await db.collection('parts').createIndexes([tombstones]);
  await db
    .collection('messages')
    .createIndexes([
      { key: { realm: 1, conversation: 1, id: 1 } },
      { key: { realm: 1, conversation: 1, topicKey: 1, id: 1 } },
      { key: { realm: 1, sender: 1, id: 1 } },
      { key: { realm: 1, participants: 1, id: 1 } },
      { key: { realm: 1, tags: 1, id: 1 } },
      { key: { realm: 1, movedFrom: 1, id: 1 } },
      tombstones,
    ]);
}
