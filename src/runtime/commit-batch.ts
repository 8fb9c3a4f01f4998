/** One commit before its write: the outcomes of all commands handled while the previous commit is being written. */

import type { Json, JsonObject } from '#base';
import type { ActorKey, LogItem, RealmId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { StoreRecordWrite } from '#ports/store';
import type { MessageChange } from './kind.js';
import type { ActorCommandReply } from './protocol.js';

/** The outgoing commands of one outcome, as a list of stages. */
export interface OutboxCommandSequence {
  readonly stages: readonly (readonly OutboxCommand[])[];
  /** Id of the command whose reply waits until all commands of the sequence are carried out. */
  readonly answers?: string;
  /** Mailbox lane that is suspended until all commands of the sequence are carried out. */
  readonly lane?: string;
  /** Id of the HTTP request that caused the commands. */
  readonly requestId?: string;
}

/** The work that remains after a commit, as stored in the outbox of the actor's root. */
export interface OutboxEntry {
  readonly v: number;
  /** Records of the commit that are not yet applied; always empty where the Store applies them with the root. */
  readonly records: readonly StoreRecordWrite[];
  readonly items: readonly LogItem[];
  readonly sequences: readonly OutboxCommandSequence[];
  /** True if the actor ends: the root is removed when the outbox is empty. */
  readonly ends?: true;
}

export class CommitBatch {
  readonly partValueByName = new Map<string, Json>();
  readonly messageChangeById = new Map<number, MessageChange>();
  readonly logItems: LogItem[] = [];
  readonly commandSequences: { readonly sequence: OutboxCommandSequence; readonly finished: () => void }[] = [];
  /** Number of commands in the batch. */
  commandCount = 0;
  /** Ids of the HTTP requests that caused the commands; collected only if a log line will name them. */
  readonly requestIds: string[] = [];
  readonly commandReplies: (readonly [string, ActorCommandReply])[] = [];
  /** Callbacks for when the commit, with its records, is durable. */
  readonly committedCallbacks: (() => void)[] = [];
  /** Callbacks for when the batch's items are also in the log. */
  readonly loggedCallbacks: (() => void)[] = [];
  /** True if the batch has something to write. A batch may be made only to carry callbacks; then it is not written. */
  hasChanges = false;
  endsActor = false;
  /** Root state and due time after the last outcome of this batch; changes by later batches must not get into it. */
  rootState: JsonObject = {};
  dueAt: number | null = null;

  constructor(readonly version: number) {}

  makeStoreRecords(key: ActorKey, realm: RealmId): StoreRecordWrite[] {
    const records: StoreRecordWrite[] = [];
    for (const [part, value] of this.partValueByName)
      records.push({ type: 'part', key, part, rev: this.version, value });
    for (const [id, { rev, record }] of this.messageChangeById) {
      records.push({ type: 'message', realm, id, rev, value: record });
    }
    return records;
  }
}

export const castOutboxEntryToJson = (entry: OutboxEntry): Json => entry as unknown as JsonObject;
