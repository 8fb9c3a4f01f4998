/**
 * Encoding of values in the log as they travel between processes. An entry of an actor, or an event beside the log,
 * begins with its head, so that a process that needs nothing of it decodes the head alone.
 *
 * The head is the first field of the value's map: versions of the server without heads ignore it.
 */
import { Packr } from 'msgpackr';
import type { Json, JsonObject } from '#base';
import type {
  ActorKey,
  EventAudience,
  EventLogItem,
  LogEntry,
  LogEntryHead,
  LogItem,
  LogItemGroup,
  RecipientFieldRule,
  TransientLogItem,
} from '#model';
import {
  type DecodedLogEntryHead,
  decodeGroupVersions,
  decodeLogEntryHead,
  encodeLogEntryHead,
} from './entry-head-codec.js';

const packr = new Packr({ useRecords: false });

const HEAD_FIELD = Buffer.from('head');
/** Number of fields of an entry with a head: `head`, `actor`, `groups`. */
const ENTRY_FIELD_COUNT = 3;
/** Start of an entry with a head: the map's mark, the number of its fields, the name of the first field. */
const HEADED_MAP_START = makeStartOfHeadedEntry();
/** Offset of the byte with the number of fields: more than those of an entry are those of an event beside the log. */
const FIELD_COUNT_OFFSET = HEADED_MAP_START.indexOf(ENTRY_FIELD_COUNT);
/** Marks of binary data in MessagePack, by the number of bytes of their length. */
const BIN_8 = 0xc4;
const BIN_16 = 0xc5;
/** Maximum size of a head, bytes. An entry with a longer one travels without it and is read whole. */
const MAX_HEAD_BYTES = 0xffff;

function makeStartOfHeadedEntry(): Uint8Array {
  const example = packr.pack({ head: Buffer.from([0]), actor: '', groups: [] });
  return Uint8Array.from(example.subarray(0, example.indexOf(HEAD_FIELD) + HEAD_FIELD.length));
}

const isLogEntry = (value: Json): boolean =>
  typeof value === 'object' && value !== null && 'actor' in value && 'groups' in value;

const isTransientItem = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && 't' in value && value.t === 'event' && 'to' in value;

export function encodeLogEntry(value: Json): Buffer {
  if (value instanceof EncodedValue) return asBuffer(value.encodedBytes);
  if (isLogEntry(value)) {
    const { actor, groups } = value as unknown as LogEntry;
    return packWithHead(encodeLogEntryHead(actor, groups), { actor, groups });
  }
  if (!isTransientItem(value)) return packr.pack(value);
  const items = [value as unknown as EventLogItem];
  return packWithHead(encodeLogEntryHead('' as ActorKey, [{ v: 0, p: 0, items }]), value);
}

const packWithHead = (head: Uint8Array, fields: object): Buffer =>
  packr.pack(head.byteLength <= MAX_HEAD_BYTES ? { head, ...fields } : fields);

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/**
 * Decodes a value of the log. Of a value with a head, only the head is decoded now; the rest when it is first read.
 *
 * @param data bytes that don't change as long as the value is used
 */
export function decodeLogEntry(data: Uint8Array): Json {
  const isHeaded = hasHead(data);
  const mark = isHeaded ? data[HEADED_MAP_START.length] : undefined;
  if (mark !== BIN_8 && mark !== BIN_16) return decodeWhole(data) as Json;
  const lengthAt = HEADED_MAP_START.length + 1;
  const start = lengthAt + (mark === BIN_8 ? 1 : 2);
  const end = start + (mark === BIN_8 ? data[lengthAt]! : data[lengthAt]! * 256 + data[lengthAt + 1]!);
  const decoded = decodeLogEntryHead(data, start, end);
  const value =
    data[FIELD_COUNT_OFFSET] === ENTRY_FIELD_COUNT
      ? new EncodedLogEntry(decoded, data, start, end)
      : new EncodedTransientItem(decoded, data);
  return value as unknown as Json;
}

function hasHead(data: Uint8Array): boolean {
  for (let i = 0; i < HEADED_MAP_START.length; i++) {
    if (data[i] !== HEADED_MAP_START[i] && (i !== FIELD_COUNT_OFFSET || data[i]! < ENTRY_FIELD_COUNT)) return false;
  }
  return true;
}

/** Decodes a value. msgpackr would decode byte arrays of a Buffer as Buffers, so the bytes are wrapped first. */
const decodeWhole = ({ buffer, byteOffset, byteLength }: Uint8Array): unknown =>
  packr.unpack(new Uint8Array(buffer, byteOffset, byteLength));

/** A value with a head whose other fields are decoded when they are first read. */
abstract class EncodedValue<T> {
  readonly head: LogEntryHead;
  #decoded: T | undefined;

  constructor(
    { head }: DecodedLogEntryHead,
    readonly encodedBytes: Uint8Array,
  ) {
    this.head = head;
  }

  protected decodeOnce(): T {
    // Decoded binary fields are parts of the decoded bytes, so these are a copy: the bytes of a received message are a
    // part of a larger buffer.
    this.#decoded ??= decodeWhole(new Uint8Array(this.encodedBytes)) as T;
    return this.#decoded;
  }
}

class EncodedLogEntry extends EncodedValue<LogEntry> implements LogEntry {
  readonly actor: ActorKey;
  readonly firstGroupNumber: number | undefined;
  readonly lastGroupNumber: number | undefined;
  #groups: readonly LogItemGroup[] | undefined;

  constructor(
    decoded: DecodedLogEntryHead,
    data: Uint8Array,
    private readonly headStart: number,
    private readonly headEnd: number,
  ) {
    super(decoded, data);
    this.actor = decoded.actor;
    this.firstGroupNumber = decoded.firstGroupNumber;
    this.lastGroupNumber = decoded.lastGroupNumber;
  }

  get groups(): readonly LogItemGroup[] {
    this.#groups ??= this.#makeGroups();
    return this.#groups;
  }

  itemsOfGroup(index: number): readonly LogItem[] {
    return this.decodeOnce().groups[index]!.items;
  }

  #makeGroups(): readonly LogItemGroup[] {
    const versions = decodeGroupVersions(this.encodedBytes.subarray(this.headStart, this.headEnd));
    const groups: EncodedLogItemGroup[] = [];
    for (let i = 0; i < versions.length; i += 2)
      groups.push(new EncodedLogItemGroup(this, i / 2, versions[i]!, versions[i + 1]!));
    return groups;
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

class EncodedTransientItem
  extends EncodedValue<EventLogItem>
  implements Pick<TransientLogItem, 't' | 'to' | 'event' | 'head'>
{
  readonly t = 'event';

  get to(): EventAudience {
    return this.decodeOnce().to;
  }

  get event(): JsonObject {
    return this.decodeOnce().event;
  }

  get aux(): JsonObject | undefined {
    return this.decodeOnce().aux;
  }

  get only(): EventLogItem['only'] {
    return this.decodeOnce().only;
  }

  get sinceLevel(): number | undefined {
    return this.decodeOnce().sinceLevel;
  }

  get own(): RecipientFieldRule | undefined {
    return this.decodeOnce().own;
  }
}
