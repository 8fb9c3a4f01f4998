/** Small actors whose whole history can be checked afterwards. */

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

/** Every operation ever applied stays in the state, in order: what was committed can be read off each root. */
export interface LedgerState extends JsonObject {
  readonly total: number;
  readonly ops: readonly string[];
  /** Operation whose timer is running. */
  readonly waiting: string | null;
}

export interface OpArgs extends JsonObject {
  readonly op: string;
  /** `move`, `hold`: stages of ledger numbers. */
  readonly stages?: readonly (readonly number[])[];
  readonly after?: number;
}

type Ledger = CommandDefinition<LedgerState, OpArgs, unknown, undefined>;

const item = (op: string, more: JsonObject = {}): LogItem => ({ t: 'event', to: {}, event: { op, ...more } });

function record(
  view: ActorView<LedgerState>,
  op: string,
  more: JsonObject = {},
): CommandOutcome<LedgerState> & {
  readonly state: LedgerState;
} {
  const { state } = view;
  const next = { ...state, total: state.total + 1, ops: [...state.ops, op] };
  return {
    reply: { value: { total: next.total } },
    state: next,
    parts: { [`e/${op}`]: { n: next.total } },
    events: [item(op, more)],
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
  /** Makes the ledger. Its reply is not remembered. */
  found: { creates: true, mintsKey: true, handle: (view, { op }) => record(view, op) },
  credit: { creates: true, handle: (view, { op }) => record(view, op) },
  /** Two stages of commands; the reply waits for both. */
  move: {
    creates: true,
    handle: (view, args) => ({ ...record(view, args.op), commands: credits(args), replyAfterCommands: true }),
  },
  /** One at a time: the next in the lane starts when the commands of this one were carried out. */
  hold: {
    creates: true,
    lane: 'hold',
    exclusive: true,
    handle: (view, args) => ({ ...record(view, args.op), commands: credits(args) }),
  },
  /** Fires once, `after` ms from now. */
  schedule: {
    creates: true,
    handle: (view, { op, after }, _inputs, { now }) => {
      if (view.state.waiting !== null) return { reply: { value: 'waiting' } };
      const done = record(view, op);
      return { ...done, state: { ...done.state, waiting: op }, due: now + (after ?? 0) };
    },
  },
  /** Cancels a scheduled command. */
  cancel: {
    creates: true,
    handle: (view) => {
      const { waiting } = view.state;
      if (waiting === null) return { reply: { value: 'waiting' } };
      const done = record(view, `cancelled:${waiting}`);
      return { ...done, reply: { value: 'waiting' }, state: { ...done.state, waiting: null }, due: null };
    },
  },
  due: {
    handle: (view) => {
      const done = record(view, `fired:${view.state.waiting}`);
      return { ...done, state: { ...done.state, waiting: null }, due: null };
    },
  },
  /** A message with an id of the realm, as a record with a rev of its own. */
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
  /** As `read`, but answered only when the log holds what was seen. */
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
  /** Ids up to this one may have been handed out. */
  readonly reserved: number;
}
const BLOCK = 20;

/** Message ids as the realm actor gives them: in memory, out of a block reserved in the root. */
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
          : { reply, state: { ...state, reserved: volatile.last + BLOCK } };
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
