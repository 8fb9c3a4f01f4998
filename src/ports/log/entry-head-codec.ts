/**
 * Encoding of heads of log entries. A head is MessagePack; most heads are decoded here, without the general decoder's
 * fixed costs and without an array of the versions of all groups.
 */
import { Packr } from 'msgpackr';
import { type ActorKey, type LogEntryHead, type LogItemGroup, makeLogEntryHead, numberOfLogItemGroup } from '#model';

const packr = new Packr({ useRecords: false });

/** A head as it travels: actor, flags, users, streams, newest message of a stream, version and piece of each group. */
type PackedHead = readonly [
  ActorKey,
  number,
  readonly number[],
  readonly number[],
  readonly number[],
  readonly number[],
];
const HEAD_FIELD_COUNT = 6;
const INDEX_OF_VERSIONS = 5;

export interface DecodedLogEntryHead {
  readonly actor: ActorKey;
  readonly head: LogEntryHead;
  /** Numbers of the first and the last group; undefined if the entry has no groups or their numbers don't ascend. */
  readonly firstGroupNumber: number | undefined;
  readonly lastGroupNumber: number | undefined;
}

export function encodeLogEntryHead(actor: ActorKey, groups: readonly LogItemGroup[]): Uint8Array {
  const { flags, users, streams, newestStreamMessage } = makeLogEntryHead(groups);
  const versions = groups.flatMap(({ v, p }) => [v, p]);
  return packr.pack([actor, flags, users, streams, newestStreamMessage, versions] satisfies PackedHead);
}

/** Decodes a head. It lies in `bytes` from `start` up to `end`. */
export function decodeLogEntryHead(bytes: Uint8Array, start: number, end: number): DecodedLogEntryHead {
  const reader = new HeadReader(bytes, start);
  const decoded = reader.readHead();
  return decoded && reader.at === end ? decoded : decodeHeadOfAnyForm(bytes.subarray(start, end));
}

/** Version and piece of each group of an entry with this head, one after the other. */
export const decodeGroupVersions = (head: Uint8Array): readonly number[] =>
  (packr.unpack(head) as PackedHead)[INDEX_OF_VERSIONS];

function decodeHeadOfAnyForm(bytes: Uint8Array): DecodedLogEntryHead {
  const [actor, flags, users, streams, newestStreamMessage, versions] = packr.unpack(bytes) as PackedHead;
  const range = new GroupRange();
  for (let i = 0; i < versions.length; i += 2) range.add(versions[i]!, versions[i + 1]!);
  return makeDecodedHead(actor, flags, users, streams, newestStreamMessage, range);
}

function makeDecodedHead(
  actor: string,
  flags: number,
  users: readonly number[],
  streams: readonly number[],
  newestStreamMessage: readonly number[],
  { first, last, ascends }: GroupRange,
): DecodedLogEntryHead {
  return {
    actor: actor as ActorKey,
    head: {
      flags,
      users,
      streams,
      newestStreamMessage: newestStreamMessage as LogEntryHead['newestStreamMessage'],
    },
    firstGroupNumber: ascends ? first : undefined,
    lastGroupNumber: ascends ? last : undefined,
  };
}

class GroupRange {
  first: number | undefined;
  last: number | undefined;
  ascends = true;

  add(v: number, p: number): void {
    const n = numberOfLogItemGroup({ v, p });
    this.first ??= n;
    if (this.last !== undefined && n <= this.last) this.ascends = false;
    this.last = n;
  }
}

const NO_NUMBERS: readonly number[] = [];
/** Result for a form of MessagePack that HeadReader doesn't know. */
const UNKNOWN = -1;
const FIXED_ARRAY = 0x90;
const FIXED_STRING = 0xa0;
const STRING_8 = 0xd9;
const UINT_8 = 0xcc;
const UINT_16 = 0xcd;
const UINT_32 = 0xce;
const ARRAY_16 = 0xdc;

/** Reads the forms of MessagePack that occur in heads: short ASCII strings, integers below 2^32, arrays of them. */
class HeadReader {
  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
  ) {}

  /** Reads the head. @returns undefined if it has another form */
  readHead(): DecodedLogEntryHead | undefined {
    if (this.#readArrayLength() !== HEAD_FIELD_COUNT) return undefined;
    const actor = this.#readString();
    const flags = this.#readNumber();
    const users = this.#readNumbers();
    const streams = this.#readNumbers();
    const newest = this.#readNumbers();
    const range = this.#readGroupRange();
    if (actor === undefined || flags === UNKNOWN || !users || !streams || !newest || !range) return undefined;
    return makeDecodedHead(actor, flags, users, streams, newest, range);
  }

  #readArrayLength(): number {
    const mark = this.bytes[this.at++]!;
    if ((mark & 0xf0) === FIXED_ARRAY) return mark & 0x0f;
    return mark === ARRAY_16 ? this.#readInteger(2) : UNKNOWN;
  }

  #readNumber(): number {
    const mark = this.bytes[this.at++]!;
    if (mark < 0x80) return mark;
    if (mark === UINT_8) return this.#readInteger(1);
    if (mark === UINT_16) return this.#readInteger(2);
    return mark === UINT_32 ? this.#readInteger(4) : UNKNOWN;
  }

  #readInteger(byteCount: number): number {
    let value = 0;
    for (let i = 0; i < byteCount; i++) value = value * 256 + this.bytes[this.at++]!;
    return value;
  }

  #readNumbers(): readonly number[] | undefined {
    const length = this.#readArrayLength();
    if (length === 0) return NO_NUMBERS;
    if (length === UNKNOWN) return undefined;
    const numbers: number[] = [];
    for (let i = 0; i < length; i++) {
      const value = this.#readNumber();
      if (value === UNKNOWN) return undefined;
      numbers.push(value);
    }
    return numbers;
  }

  #readGroupRange(): GroupRange | undefined {
    const length = this.#readArrayLength();
    if (length === UNKNOWN) return undefined;
    const range = new GroupRange();
    for (let i = 0; i < length; i += 2) {
      const v = this.#readNumber();
      const p = this.#readNumber();
      if (v === UNKNOWN || p === UNKNOWN) return undefined;
      range.add(v, p);
    }
    return range;
  }

  #readString(): string | undefined {
    const mark = this.bytes[this.at++]!;
    const length = (mark & 0xe0) === FIXED_STRING ? mark & 0x1f : mark === STRING_8 ? this.bytes[this.at++]! : UNKNOWN;
    if (length === UNKNOWN) return undefined;
    let text = '';
    for (const end = this.at + length; this.at < end; this.at++) {
      const code = this.bytes[this.at]!;
      if (code >= 0x80) return undefined;
      text += String.fromCharCode(code);
    }
    return text;
  }
}
