/**
 * Encoding of values in the log as they travel between processes. An entry of an actor begins with its head, so that a
 * process that needs nothing of it decodes the head alone.
 *
 * The head is the first field of the entry's map: versions of the server without heads ignore it.
 */
import { Packr } from 'msgpackr';
import type { Json } from '#base';
import {
  type ActorKey,
  type LogEntry,
  type LogEntryHead,
  type LogItem,
  type LogItemGroup,
  makeLogEntryHead,
} from '#model';

const packr = new Packr({ useRecords: false });

/** Start of an entry with a head: a map of three fields whose first one is `head`, and the header of its bytes. */
const HEAD_FIELD = Buffer.from('head');
const [HEADED_MAP_BYTES, HEAD_START] = findStartOfHeadedEntry();
/** Marks of binary data in MessagePack, by the number of bytes of their length. */
const BIN_8 = 0xc4;
const BIN_16 = 0xc5;
/** Maximum size of a head, bytes. An entry with a longer one travels without it and is read whole. */
const MAX_HEAD_BYTES = 0xffff;

/** Bytes before the head's length in the encoding of an entry, and their number. */
function findStartOfHeadedEntry(): readonly [start: Buffer, end: number] {
  const example = packr.pack({ head: Buffer.from([0]), actor: '', groups: [] });
  const end = example.indexOf(HEAD_FIELD) + HEAD_FIELD.length;
  return [Buffer.from(example.subarray(0, end)), end];
}

/** A head as it travels: actor, flags, users, streams, newest message of a stream, version and piece of each group. */
type PackedHead = readonly [
  ActorKey,
  number,
  readonly number[],
  readonly number[],
  readonly number[],
  readonly number[],
];

const isLogEntry = (value: Json): boolean =>
  typeof value === 'object' && value !== null && 'actor' in value && 'groups' in value;

export function encodeLogEntry(value: Json): Buffer {
  if (value instanceof EncodedLogEntry) return value.bytes;
  if (!isLogEntry(value)) return packr.pack(value);
  const { actor, groups } = value as unknown as LogEntry;
  const { flags, users, streams, newestStreamMessage } = makeLogEntryHead(groups);
  const versions = groups.flatMap(({ v, p }) => [v, p]);
  const head = packr.pack([actor, flags, users, streams, newestStreamMessage, versions] satisfies PackedHead);
  return packr.pack(head.byteLength <= MAX_HEAD_BYTES ? { head, actor, groups } : { actor, groups });
}

/**
 * Decodes a log entry. msgpackr would decode a Buffer's byte arrays as Buffers, not as plain Uint8Arrays, so the Buffer
 * is wrapped first.
 */
export function decodeLogEntry(data: Uint8Array): Json {
  const head = findHead(data);
  if (!head) return packr.unpack(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)) as Json;
  return new EncodedLogEntry(packr.unpack(head) as PackedHead, data) as unknown as Json;
}

function findHead(data: Uint8Array): Uint8Array | undefined {
  for (let i = 0; i < HEAD_START; i++) if (data[i] !== HEADED_MAP_BYTES[i]) return undefined;
  const mark = data[HEAD_START];
  if (mark === BIN_8) return data.subarray(HEAD_START + 2, HEAD_START + 2 + data[HEAD_START + 1]!);
  if (mark !== BIN_16) return undefined;
  const length = data[HEAD_START + 1]! * 256 + data[HEAD_START + 2]!;
  return data.subarray(HEAD_START + 3, HEAD_START + 3 + length);
}

/** An entry whose items are decoded when they are first read. */
class EncodedLogEntry implements LogEntry {
  readonly actor: ActorKey;
  readonly head: LogEntryHead;
  readonly groups: readonly LogItemGroup[];
  /** A copy: the bytes of a received message are a part of a larger buffer, which an entry that is kept would keep. */
  readonly bytes: Buffer;
  #decodedGroups: readonly LogItemGroup[] | undefined;

  constructor([actor, flags, users, streams, newestStreamMessage, versions]: PackedHead, data: Uint8Array) {
    this.actor = actor;
    this.head = {
      flags,
      users,
      streams,
      newestStreamMessage: newestStreamMessage as LogEntryHead['newestStreamMessage'],
    };
    this.bytes = Buffer.from(data);
    const groups: EncodedLogItemGroup[] = [];
    for (let i = 0; i < versions.length; i += 2)
      groups.push(new EncodedLogItemGroup(this, i / 2, versions[i]!, versions[i + 1]!));
    this.groups = groups;
  }

  get encodedByteLength(): number {
    return this.bytes.byteLength;
  }

  itemsOfGroup(index: number): readonly LogItem[] {
    if (!this.#decodedGroups) {
      const { buffer, byteOffset, byteLength } = this.bytes;
      const entry = packr.unpack(new Uint8Array(buffer, byteOffset, byteLength)) as LogEntry;
      this.#decodedGroups = entry.groups;
    }
    return this.#decodedGroups[index]!.items;
  }
}

class EncodedLogItemGroup implements LogItemGroup {
  constructor(
    private readonly entry: EncodedLogEntry,
    private readonly index: number,
    readonly v: number,
    readonly p: number,
  ) {}

  get items(): readonly LogItem[] {
    return this.entry.itemsOfGroup(this.index);
  }
}
