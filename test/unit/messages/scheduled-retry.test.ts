/** A scheduled message reaches its stream before the stream knows of the sender's subscription. */
import t from 'tap';
import type { Json, JsonObject } from '#base';
import {
  findStoredScheduledMessage,
  listScheduledMessagesToHandOver,
  nextScheduledHandOverTimeMs,
  type ScheduledMessage,
} from '#domain/messages';
import type { CommandContext, CommandOutcome } from '#runtime';
import { failOrRetryScheduledMessageHandler } from '../../../actors/user/commands/later/delivery.js';
import { SUBSCRIPTION_PART_PREFIX } from '../../../actors/user/state.js';

const NOW = 1_700_000_000_000;
const context = {
  key: 'user/1/9',
  realm: 1,
  now: NOW,
  directory: {
    version: 3,
    deactivated: false,
    user: () => ({ isActive: true }),
    preferencesOf: () => ({ settings: {} }),
  },
} as unknown as CommandContext;

const sending = (more: Partial<ScheduledMessage> = {}): ScheduledMessage => ({
  id: 4,
  type: 'stream',
  to: [5],
  topic: 'one',
  content: 'hello',
  html: '<p>hello</p>',
  wildcard: false,
  at: NOW / 1000,
  phase: 'sending',
  client: 'web',
  origin: '',
  ...more,
});

const partsOf = (message: ScheduledMessage, active: boolean): Map<string, Json> =>
  new Map<string, Json>([
    ['scheduled/4', message],
    [`${SUBSCRIPTION_PART_PREFIX}5`, { stream: 5, active }],
  ]);

function failed(message: ScheduledMessage, subscribed: boolean, outside = true) {
  const parts = partsOf(message, subscribed);
  const view = { state: {}, parts, exists: true, volatile: undefined } as never;
  const args = { id: 4, reason: 'Not authorized', outside };
  const outcome = failOrRetryScheduledMessageHandler.handle(
    view,
    args,
    undefined,
    context,
  ) as CommandOutcome<JsonObject>;
  const after = new Map([...parts, ...Object.entries(outcome.parts ?? {})] as [string, Json][]);
  return { outcome, after, message: findStoredScheduledMessage(after, 4) as ScheduledMessage };
}

t.test('the message of a subscriber is sent again a little later, without a notice', async (t) => {
  const { outcome, after, message } = failed(sending(), true);
  t.equal(message.phase, 'waiting');
  t.same([outcome.events, outcome.commands], [undefined, undefined]);
  const next = nextScheduledHandOverTimeMs(after)!;
  t.ok(next > NOW);
  t.equal(outcome.due, next);
  t.same(listScheduledMessagesToHandOver(after, NOW), [], 'not at once');
  t.same(
    listScheduledMessagesToHandOver(after, next).map(({ id }) => id),
    [4],
  );
});

t.test('a sender who is not subscribed, or is refused for another reason, gets a notice', async (t) => {
  for (const { outcome, message } of [failed(sending(), false), failed(sending(), true, false)]) {
    t.equal(message.phase, 'failed');
    t.equal(outcome.events?.length, 1);
    t.equal(outcome.commands?.flat().length, 1);
  }
});

t.test('the number of attempts is limited', async (t) => {
  let message = sending();
  let tries = 0;
  for (; message.phase !== 'failed' && tries < 1_000; tries++) {
    message = failed({ ...message, phase: 'sending' }, true).message;
  }
  t.equal(message.phase, 'failed');
  t.ok(tries > 10);
});
