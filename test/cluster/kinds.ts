/** Actor kinds for tests of the runtime: ledgers that list every operation in their state, and a source of ids. */

import type { JsonObject } from '#base';
import { type ActorKey, type LogItem, parseActorKey, streamActorKey, toRealmId, toStreamId } from '#model';
import { makeOutboxCommand, type OutboxCommand } from '#model/commands';
import { validationError } from '#model/errors';
import type {
  ActorKindDefinition,
  ActorView,
  AnyActorKindDefinition,
  CommandDefinition,
  CommandOutcome,
} from '#runtime';
import { anyCommand } from '../support/any-command.js';

export const REALM = toRealmId(1);
export const ledgerKey = (n: number): ActorKey => streamActorKey(REALM, toStreamId(n));

/** State of a ledger. It lists every applied operation in order, so each stored root shows what was committed. */
export interface LedgerState extends JsonObject {
  readonly total: number;
  readonly ops: readonly string[];
  /** Scheduled operation whose timer is running; null without one. */
  readonly waiting: string | null;
}

export interface OpArgs extends JsonObject {
  readonly op: string;
  /** Numbers of the ledgers that `move` and `hold` credit, stage by stage. */
  readonly stages?: readonly (readonly number[])[];
  readonly after?: number;
}

type Ledger = CommandDefinition<LedgerState, OpArgs, unknown, undefined>;

const item = (op: string, eventFields: JsonObject = {}): LogItem => ({
  t: 'event',
  to: {},
  event: { op, ...eventFields },
});

function record(
  view: ActorView<LedgerState>,
  op: string,
  eventFields: JsonObject = {},
): CommandOutcome<LedgerState> & {
  readonly state: LedgerState;
} {
  const { state } = view;
  const next = { ...state, total: state.total + 1, ops: [...state.ops, op] };
  return {
    reply: { value: { total: next.total } },
    state: next,
    parts: { [`e/${op}`]: { n: next.total } },
    events: [item(op, eventFields)],
  };
}

const credits = (args: OpArgs): OutboxCommand[][] =>
  (args.stages ?? []).map((targets, s) =>
    targets.map((n, i) => {
      const op = `${args.op}.${s}.${i}`;
      return makeOutboxCommand({ to: ledgerKey(n), name: anyCommand('credit'), args: { op }, caller: 0 });
    }),
  );

const commands: Record<string, Ledger> = {
  add: { creates: true, handle: (view, { op }) => record(view, op) },
  /** Creates the ledger; its reply is not cached for retries. */
  found: { creates: true, mintsKey: true, handle: (view, { op }) => record(view, op) },
  credit: { creates: true, handle: (view, { op }) => record(view, op) },
  /** Changes the total alone: a list of 20,000 operations would be copied for each of them, 2 s of CPU. */
  count: {
    creates: true,
    handle: ({ state }) => ({
      reply: { value: { total: state.total + 1 } },
      state: { ...state, total: state.total + 1 },
    }),
  },
  /** Credits ledgers in two stages; the reply waits for both stages. */
  move: {
    creates: true,
    handle: (view, args) => ({ ...record(view, args.op), commands: credits(args), replyAfterCommands: true }),
  },
  /** Credits ledgers exclusively: the lane starts the next command after these credits are done. */
  hold: {
    creates: true,
    lane: 'hold',
    exclusive: true,
    handle: (view, args) => ({ ...record(view, args.op), commands: credits(args) }),
  },
  /** Sets a timer that sends `due` once, `after` ms from now. */
  schedule: {
    creates: true,
    handle: (view, { op, after }, _inputs, { now }) => {
      if (view.state.waiting !== null) return { reply: { value: 'waiting' } };
      const outcome = record(view, op);
      return { ...outcome, state: { ...outcome.state, waiting: op }, due: now + (after ?? 0) };
    },
  },
  /** Cancels the running timer. */
  cancel: {
    creates: true,
    handle: (view) => {
      const { waiting } = view.state;
      if (waiting === null) return { reply: { value: 'waiting' } };
      const outcome = record(view, `cancelled:${waiting}`);
      return { ...outcome, reply: { value: 'waiting' }, state: { ...outcome.state, waiting: null }, due: null };
    },
  },
  due: {
    handle: (view) => {
      const outcome = record(view, `fired:${view.state.waiting}`);
      return { ...outcome, state: { ...outcome.state, waiting: null }, due: null };
    },
  },
  /** Writes a message record whose id comes from the realm actor. */
  post: {
    creates: true,
    inputs: (_args, { realm }, sources) => sources.fetchMessageId(realm),
    handle: (view, { op }, inputs, { key }) => {
      const id = inputs as number;
      const body = {
        id,
        conversation: `s${parseActorKey(key).idWithinRealm}`,
        topicKey: 't',
        sender: 1,
        participants: [],
        movedFrom: '',
        tags: [],
      };
      return {
        ...record(view, op, { id }),
        reply: { value: { id } },
        messages: [{ id, rev: 1, record: { ...body, body: { op } } }],
      };
    },
  },
  refuse: {
    creates: true,
    handle: () => {
      throw validationError('no');
    },
  },
  boom: {
    creates: true,
    handle: () => {
      throw new Error('boom');
    },
  },
  read: {
    read: true,
    creates: true,
    handle: ({ state }, _args, _inputs, { version }) => ({ reply: { value: { total: state.total, version } } }),
  },
  /** Reads the state; the reply waits until the log contains every commit in that state. */
  readLogged: {
    read: true,
    logged: true,
    creates: true,
    handle: ({ state }, _args, _inputs, { version }) => ({ reply: { value: { total: state.total, version } } }),
  },
};

export const ledger: ActorKindDefinition<LedgerState> = {
  name: 'stream',
  commands,
  makeInitialState: () => ({ total: 0, ops: [], waiting: null }),
  makeVolatile: () => undefined,
  makeMissingActorReply: () => ({ error: { status: 404, msg: 'no such ledger' } }),
  usesDirectory: false,
  loadedParts: [],
};

interface IdState extends JsonObject {
  /** Highest id that may have been given out. */
  readonly reserved: number;
}
const ID_BLOCK_SIZE = 20;

/** Source of message ids like the realm actor: counts in memory within a block of ids that the root reserves. */
export const ids: ActorKindDefinition<IdState, { last: number }> = {
  name: 'realm',
  commands: {
    'take-ids': {
      creates: true,
      lane: 'ids',
      handle: ({ state, volatile }, { count }: { count: number } & JsonObject) => {
        const first = volatile.last + 1;
        volatile.last += count;
        const reply = { value: first };
        return volatile.last <= state.reserved
          ? { reply }
          : { reply, state: { ...state, reserved: volatile.last + ID_BLOCK_SIZE } };
      },
    },
  },
  makeInitialState: () => ({ reserved: 0 }),
  makeVolatile: (_key, state) => ({ last: state.reserved }),
  makeMissingActorReply: () => ({ error: { status: 404, msg: 'no such realm' } }),
  usesDirectory: false,
  loadedParts: [],
};

export const testKinds: Readonly<Record<string, AnyActorKindDefinition>> = { stream: ledger, realm: ids };
