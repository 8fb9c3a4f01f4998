/** A user leaves a stream with very many unread messages: several commits mark all of them as read. */
import t from 'tap';
import { IdSet, type Json, type JsonObject } from '#base';
import { encodeOriginReadStatePart, type StoredMessage, toMessageRecord, UserMessageFlagsView } from '#domain/messages';
import { type ActorKey, streamActorKey, toRealmId, userActorKey } from '#model';
import type { CommandContext, CommandInputContext, CommandOutcome } from '#runtime';
import type { ActorInputSources } from '../../../actors/services.js';
import { markLeftStreamReadHandler } from '../../../actors/user/commands/messages/mark-stream-read.js';
import { MemoryStore } from '../../support/memory-store.js';

const REALM = toRealmId(1);
const STREAM = 5;
const ELSEWHERE = 6;
const USER = 9;
const SELF = userActorKey(REALM, USER as never);
const NEWEST = 12_345;
/** Messages up to the mark were read before, except these. */
const MARK = 100;
const EXCEPTED = [7, 50, 99];
const MOVED = [60, 5_500, 12_000];
/** Sent after the user had left. */
const AFTER = NEWEST + 1;

const message = (id: number): StoredMessage =>
  ({
    id,
    sender: 8,
    participants: [],
    originStream: STREAM,
    body: {
      topic: 'one',
      html: '',
      content: '',
      stream: MOVED.includes(id) ? ELSEWHERE : STREAM,
      flags: {},
      has: {},
      sent: 0,
      rev: 1,
      ...(MOVED.includes(id) ? { moves: [] } : {}),
    },
  }) as unknown as StoredMessage;

async function filled(): Promise<MemoryStore> {
  const store = new MemoryStore({ atomicRecords: true });
  for (let id = 1; id <= AFTER; id++) {
    store.contents.put({ type: 'message', realm: REALM, id, rev: 1, value: toMessageRecord(message(id)) });
  }
  const stays = { stays: [{ from: 1, to: 0, after: 0, until: 0 }] };
  for (const stream of [STREAM, ELSEWHERE])
    store.contents.put({
      type: 'part',
      key: streamActorKey(REALM, stream as never),
      part: `member/${USER}`,
      rev: 1,
      value: stays,
    });
  return store;
}

class LeaversActor {
  parts = new Map<string, Json>(
    Object.entries(
      encodeOriginReadStatePart(STREAM, {
        mark: MARK,
        read: IdSet.fromIds([300]),
        unread: IdSet.fromIds([...EXCEPTED, 60]),
      }),
    ),
  );
  readonly named: number[][] = [];

  constructor(readonly store: MemoryStore) {}

  /** Runs one command; returns the arguments of the next one that it sends to itself. */
  async handle(args: JsonObject): Promise<JsonObject | undefined> {
    const view = { state: {}, parts: this.parts, exists: true, volatile: undefined } as never;
    const context = { key: SELF, realm: REALM, caller: 0, view } as CommandInputContext<never, undefined>;
    const sources = { store: this.store, askActor: async () => null } as unknown as ActorInputSources;
    const inputs = await markLeftStreamReadHandler.inputs!(args as never, context as never, sources);
    const directory = { version: 1 };
    const outcome = markLeftStreamReadHandler.handle(view, args as never, inputs, {
      ...context,
      directory,
    } as unknown as CommandContext);
    this.#take(outcome as CommandOutcome<JsonObject>);
    const [next, ...more] = (outcome.commands ?? []).flat();
    if (more.length > 0 || (next && (next.to !== (SELF as ActorKey) || next.name !== 'read-stream')))
      throw new Error('?');
    return next?.args;
  }

  #take({ parts = {}, events = [] }: CommandOutcome<JsonObject>): void {
    this.parts = new Map([...this.parts, ...Object.entries(parts)]);
    for (const item of events) {
      if (item.t !== 'event' || item.own) throw new Error('worked out at delivery');
      this.named.push([...(item.event.messages as number[])]);
    }
  }

  isRead(id: number): boolean {
    return new UserMessageFlagsView(USER, this.parts).isRead({ message: message(id), copy: true, gained: false });
  }
}

const all = (except: readonly number[] = []): number[] =>
  [...EXCEPTED, ...Array.from({ length: NEWEST - MARK }, (_, i) => MARK + 1 + i)].filter(
    (id) => id !== 300 && !MOVED.includes(id) && !except.includes(id),
  );

t.test('each commit marks the messages that its event lists; moved and later messages stay unread', async (t) => {
  const actor = new LeaversActor(await filled());
  let commits = 0;
  for (let args: JsonObject | undefined = { stream: STREAM, until: NEWEST }; args; commits++) {
    args = await actor.handle(args);
    const named = new Set(actor.named.flat());
    t.same(
      all().filter((id) => actor.isRead(id) !== named.has(id)),
      [],
      `after commit ${commits + 1}`,
    );
    t.same(
      MOVED.filter((id) => actor.isRead(id)),
      [],
    );
  }
  t.ok(commits >= 3);
  t.ok(actor.named.every((ids) => ids.length <= 5_000));
  t.same(
    actor.named.flat().sort((a, b) => a - b),
    all(),
  );
  t.notOk(actor.isRead(AFTER));
});

t.test('a lost commit is repeated, without a message that was deleted in the meantime', async (t) => {
  const store = await filled();
  const actor = new LeaversActor(store);
  const next = await actor.handle({ stream: STREAM, until: NEWEST });
  const before = actor.parts;
  await actor.handle(next!);
  actor.parts = before;
  actor.named.pop();
  store.contents.put({ type: 'message', realm: REALM, id: 12_100, rev: 2, value: null });
  for (let args = next; args; ) args = await actor.handle(args);
  t.same(
    actor.named.flat().sort((a, b) => a - b),
    all([12_100]),
    'the event of the deletion lists that message (removing.ts)',
  );
});

t.test('for an archived stream the event holds a range', async (t) => {
  const actor = new LeaversActor(await filled());
  await t.rejects(actor.handle({ stream: STREAM, until: NEWEST, archived: true }), /worked out at delivery/);
});
