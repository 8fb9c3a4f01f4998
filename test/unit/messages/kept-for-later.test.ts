/** Maximum numbers of a user's drafts, scheduled messages and saved snippets: each list of them is one answer. */
import t from 'tap';
import type { Json } from '#base';
import {
  MAX_DRAFTS_PER_USER,
  MAX_SAVED_SNIPPETS_PER_USER,
  MAX_SCHEDULED_MESSAGES_PER_USER,
  MAX_SENT_SCHEDULED_MESSAGES_KEPT,
} from '#domain/messages';
import { toUserId } from '#model';
import type { CommandContext, CommandOutcome } from '#runtime';
import { recordScheduledMessageSentHandler } from '../../../actors/user/commands/later/delivery.js';
import { createDraftsHandler, deleteDraftHandler } from '../../../actors/user/commands/later/drafts.js';
import {
  createSavedSnippetHandler,
  deleteSavedSnippetHandler,
} from '../../../actors/user/commands/later/saved-snippets.js';
import {
  deleteScheduledMessageHandler,
  scheduleMessageHandler,
} from '../../../actors/user/commands/later/scheduled.js';
import { nextPersonalItemId } from '../../../actors/user/state.js';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';

const SELF = person(7);
const context = {
  key: 'user/1/7',
  realm: 1,
  caller: 7,
  now: 1_700_000_000_000,
  client: 'web',
  directory: directoryWith({ users: [SELF] }),
} as unknown as CommandContext;

/** Id of the first text of each kind. */
const FIRST_ID = nextPersonalItemId(undefined, toUserId(7));

/** A handler with the types of its arguments and inputs left out. */
interface Handler {
  readonly handle: unknown;
}
type Handle = (view: unknown, args: unknown, inputs: unknown, context: CommandContext) => CommandOutcome<never>;

/** The user's actor: it keeps the state and the parts of each outcome. */
function userActor(parts = new Map<string, Json>()) {
  let state = {};
  return (handler: Handler, args: unknown, inputs?: unknown): void => {
    const outcome = (handler.handle as Handle)({ state, parts }, args, inputs, context);
    state = outcome.state ?? state;
    for (const [name, value] of Object.entries(outcome.parts ?? {}))
      if (value === null) parts.delete(name);
      else parts.set(name, value as Json);
  };
}

const draft = { type: '', to: [], topic: '', content: 'a' };
const message = { type: 'private', to: [7], topic: null, content: 'a', at: 1_800_000_000, origin: '' };
const rendered = { html: '<p>a</p>', mentions: { wildcard: false } };
const inputs = { renderResult: rendered, botOwnerStreamIds: new Set(), subscriberCountByStream: new Map() };

interface Kind {
  readonly name: string;
  readonly max: number;
  /** Creates this many; one when the number is left out. */
  readonly create: (command: ReturnType<typeof userActor>, count?: number) => void;
  readonly remove: Handler;
}

const KINDS: readonly Kind[] = [
  {
    name: 'drafts',
    max: MAX_DRAFTS_PER_USER,
    create: (command, count = 1) => command(createDraftsHandler, { drafts: Array(count).fill(draft) }),
    remove: deleteDraftHandler,
  },
  {
    name: 'scheduled_messages',
    max: MAX_SCHEDULED_MESSAGES_PER_USER,
    create: (command, count = 1) => {
      for (let i = 0; i < count; i++) command(scheduleMessageHandler, message, inputs);
    },
    remove: deleteScheduledMessageHandler,
  },
  {
    name: 'saved_snippets',
    max: MAX_SAVED_SNIPPETS_PER_USER,
    create: (command, count = 1) => {
      for (let i = 0; i < count; i++) command(createSavedSnippetHandler, { title: 'a', content: 'b' });
    },
    remove: deleteSavedSnippetHandler,
  },
];

for (const { name, max, create, remove } of KINDS)
  t.test(`one more of ${name} than the maximum is refused, until another one is deleted`, async (t) => {
    const command = userActor();
    const refusal = { message: `${name} has too many items (limit: ${max})` };
    create(command, max);
    t.throws(() => create(command), refusal);
    command(remove, { id: FIRST_ID });
    create(command);
    t.throws(() => create(command), refusal);
  });

t.test('drafts that exceed the maximum together are all refused', async (t) => {
  const command = userActor();
  const create = (count: number): void => command(createDraftsHandler, { drafts: Array(count).fill(draft) });
  create(MAX_DRAFTS_PER_USER - 1);
  t.throws(() => create(2), { message: `drafts has too many items (limit: ${MAX_DRAFTS_PER_USER})` });
  create(1);
});

/** An actor with messages that are being sent, numbered from 1. `kept` lists the records of sent messages. */
function sendingActor(count: number, before: readonly [string, Json][] = []) {
  const sending = Array.from({ length: count }, (_, i): [string, Json] => [
    `scheduled/${i + 1}`,
    { id: i + 1, phase: 'sending', at: 1_600_000_000 },
  ]);
  const parts = new Map([...before, ...sending]);
  const command = userActor(parts);
  return {
    parts,
    tellSent: (id: number): void => command(recordScheduledMessageSentHandler, { id }),
    kept: (): number[] =>
      [...parts.values()]
        .map((part) => part as { id: number; phase: string })
        .filter(({ phase }) => phase === 'sent')
        .map(({ id }) => id)
        .sort((a, b) => a - b),
  };
}

t.test('only the newest sent messages are remembered, and a repeated report brings none back', async (t) => {
  const { parts, tellSent, kept } = sendingActor(MAX_SENT_SCHEDULED_MESSAGES_KEPT + 3);
  for (let id = 1; id <= MAX_SENT_SCHEDULED_MESSAGES_KEPT + 2; id++) tellSent(id);
  t.equal(kept().length, MAX_SENT_SCHEDULED_MESSAGES_KEPT);
  t.same(kept().slice(0, 2), [3, 4]);
  tellSent(1);
  t.equal(kept()[0], 3);
  t.match(parts.get(`scheduled/${MAX_SENT_SCHEDULED_MESSAGES_KEPT + 3}`), { phase: 'sending' });
});

t.test('the many sent messages that an earlier version kept are deleted in several commits', async (t) => {
  const former = Array.from({ length: 250 }, (_, i): [string, Json] => [
    `scheduled/${1_000 + i}`,
    { id: 1_000 + i, phase: 'sent' },
  ]);
  const { tellSent, kept } = sendingActor(3, former);
  const counts = [1, 2, 3].map((id) => {
    tellSent(id);
    return kept().length;
  });
  t.same(counts, [151, MAX_SENT_SCHEDULED_MESSAGES_KEPT, MAX_SENT_SCHEDULED_MESSAGES_KEPT]);
  t.same(kept().slice(0, 4), [1, 2, 3, 1_153], 'the messages sent last stay, whatever their ids');
});
