/** One commit in the making: the outcomes of all commands handled while the commit before it was on its way. */

import type { Json, JsonObject } from '#base';
import type { ActorKey, LogItem, RealmId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { RecordWrite } from '#ports/store';
import type { MessageChange } from './kind.js';
import type { Reply } from './protocol.js';

/** Commands of one outcome: stage after stage. */
export interface Sequence {
  readonly stages: readonly (readonly OutboxCommand[])[];
  /** Id of the command whose reply waits until all were carried out. */
  readonly answers?: string;
  /** Lane that rests until then. */
  readonly lane?: string;
  /** HTTP request that caused them. */
  readonly requestId?: string;
}

/** What a commit leaves to be done, as kept in the root's outbox. */
export interface OutboxEntry {
  readonly v: number;
  /** Not yet applied records; always empty where the Store applies them with the root. */
  readonly records: readonly RecordWrite[];
  readonly items: readonly LogItem[];
  readonly sequences: readonly Sequence[];
  /** The actor ends: its root is removed when the outbox is empty. */
  readonly ends?: true;
}

export class Group {
  readonly parts = new Map<string, Json>();
  readonly messages = new Map<number, MessageChange>();
  readonly items: LogItem[] = [];
  readonly sequences: { readonly sequence: Sequence; readonly finished: () => void }[] = [];
  /** Commands in it. */
  commands = 0;
  /** HTTP requests that caused them, where a log line will say so. */
  readonly requests: string[] = [];
  readonly replies: (readonly [string, Reply])[] = [];
  /** Called when the commit, with its records, is durable. */
  readonly onCommitted: (() => void)[] = [];
  /** Called when the items are in the log, too. */
  readonly onLogged: (() => void)[] = [];
  /** Something to write at all? Groups made only to wait on are not written. */
  dirty = false;
  ends = false;
  /** Root state and due time after the last outcome of this group; later groups must not leak into it. */
  state: JsonObject = {};
  due: number | null = null;

  constructor(readonly version: number) {}

  records(key: ActorKey, realm: RealmId): RecordWrite[] {
    const records: RecordWrite[] = [];
    for (const [part, value] of this.parts) records.push({ type: 'part', key, part, rev: this.version, value });
    for (const [id, { rev, record }] of this.messages) {
      records.push({ type: 'message', realm, id, rev, value: record });
    }
    return records;
  }
}

export const asJson = (entry: OutboxEntry): Json => entry as unknown as JsonObject;
