/**
 * The memory of receivers who were informed of missed messages: what it covers, and a shortcut for repeated mentions of
 * everybody, which changes no command.
 */
import fc from 'fast-check';
import t from 'tap';
import { CHANGE_FIELD_BY_DIRECTORY_COLLECTION, type RealmDirectory } from '#directory';
import type { StoredMessage } from '#domain/messages';
import { STREAM_MEMBER_PART_PREFIX } from '#domain/streams';
import { toRealmId, toUserId } from '#model';
import { MissedMessageNoticeMemory } from '../../../actors/stream/informed.js';
import { makeMissedMessageCommands, makeNotifiedSubscribersPart } from '../../../actors/stream/missed.js';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';
import { rounds } from '../../support/rounds.js';

const PEOPLE = 5;
const IDS = Array.from({ length: PEOPLE }, (_, i) => 10 + i);
const BEGIN = 1_700_000_000_000;

class MemoryWithoutShortcut extends MissedMessageNoticeMemory {
  override areAllSubscribersInformed(): boolean {
    return false;
  }
}

class CountedParts extends Map<string, never> {
  walks = 0;

  override [Symbol.iterator](): MapIterator<[string, never]> {
    this.walks++;
    return super[Symbol.iterator]();
  }
}

/** A stream with its subscribers, as two actors see it: one has the shortcut, the other looks at each subscriber. */
class Stream {
  readonly directory: RealmDirectory = directoryWith({ users: [...IDS, 15].map((id) => person(id)) });
  readonly parts = new CountedParts();
  readonly memories = [new MissedMessageNoticeMemory(), new MemoryWithoutShortcut()];
  now = BEGIN;
  #messages = 0;
  #membershipVersion = 0;

  constructor() {
    for (const id of IDS) this.setSubscribed(id, true);
  }

  setSubscribed(id: number, subscribed: boolean): void {
    const stays = [{ from: 1, to: subscribed ? 0 : 2, after: 0, until: 0 }];
    this.#membershipVersion++;
    this.parts.set(`${STREAM_MEMBER_PART_PREFIX}${id}`, { stays } as never);
  }

  /** Makes the user one whose subscription asks for mails or pushes of all messages. */
  setNotified(id: number): void {
    for (const [name, part] of Object.entries(makeNotifiedSubscribersPart([id]))) this.parts.set(name, part as never);
  }

  setUser(id: number, isActive: boolean): void {
    this.directory.applyChange({ [CHANGE_FIELD_BY_DIRECTORY_COLLECTION.users]: person(id, { isActive }) });
  }

  setPreferences(id: number, mails: boolean, periodSeconds: number, muted: readonly number[]): void {
    const settings = {
      enable_offline_email_notifications: mails,
      enable_offline_push_notifications: mails,
      email_notifications_batching_period_seconds: periodSeconds,
    };
    const personal = {
      user: toUserId(id),
      settings,
      alertWords: [],
      muted: muted.map((of) => ({ id: of, timestamp: 1 })),
    };
    this.directory.applyChange({ [CHANGE_FIELD_BY_DIRECTORY_COLLECTION.personals]: personal });
  }

  /** Receivers of commands about a message, with the shortcut and without. */
  send(sender: number, topic: string, wildcard: boolean, flags: StoredMessage['body']['flags'] = {}): number[][] {
    const message = {
      ...{ id: ++this.#messages, sender, participants: [], originStream: 3 },
      body: { topic, flags, wildcard },
    } as unknown as StoredMessage;
    return this.memories.map((noticeMemory) =>
      makeMissedMessageCommands(this.parts, message, {
        directory: this.directory,
        realm: toRealmId(1),
        nowMs: this.now,
        origin: 'http://localhost',
        membershipVersion: this.#membershipVersion,
        noticeMemory,
      }).map(({ to }) => Number(to.slice(to.lastIndexOf('/') + 1))),
    );
  }
}

t.test('a repeated mention of everybody walks through no subscribers until receivers may need it', async (test) => {
  const stream = new Stream();
  const [first] = stream.send(10, 'tides', true);
  test.strictSame(first, [11, 12, 13, 14]);
  const { walks } = stream.parts;
  stream.memories.pop();
  test.strictSame(stream.send(10, 'TIDES', true), [[]]);
  test.equal(stream.parts.walks, walks, 'the same sender and topic');
  test.strictSame(stream.send(11, 'tides', true), [[10]], 'another sender');
  test.strictSame(stream.send(10, 'gulls', true), [[11, 12, 13, 14]], 'another topic');
  stream.now += 61_000;
  test.strictSame(stream.send(10, 'tides', true), [[11, 12, 13, 14]], 'half a batching period later');
  stream.setSubscribed(15, true);
  test.strictSame(stream.send(10, 'tides', true), [[15]], 'a new subscriber');
  stream.memories[0]!.clear();
  test.strictSame(stream.send(10, 'tides', true), [[11, 12, 13, 14, 15]], 'after an outcome was dropped');
});

t.test('a weaker message does not keep a stronger one from its receiver, whose actor may refuse it', async (test) => {
  const stream = new Stream();
  stream.setNotified(11);
  const send = (...flags: string[]) => stream.send(10, 'tides', false, { 11: flags })[0];
  test.strictSame(send(), [11], 'a message of a stream with notifications');
  test.strictSame(send(), []);
  test.strictSame(send('wildcard_mentioned'), [11], 'a mention of the topic');
  test.strictSame(send('wildcard_mentioned'), []);
  test.strictSame(send('has_alert_word'), [11], 'an alert word');
  test.strictSame(send('wildcard_mentioned'), []);
  test.strictSame(send('mentioned'), [11], 'a mention by name');
  test.strictSame(send('mentioned', 'has_alert_word'), []);
  test.strictSame(send('has_alert_word'), []);
  test.strictSame(send(), []);
});

t.test('an actor that may have refused a message hears of one a minute later, whatever the period', async (test) => {
  const stream = new Stream();
  stream.setPreferences(11, true, 7_200, []);
  const send = (flag: string) => stream.send(10, 'tides', false, { 11: [flag] })[0];
  test.strictSame(send('has_alert_word'), [11]);
  stream.now += 61_000;
  test.strictSame(send('has_alert_word'), [11]);
  test.strictSame(send('mentioned'), [11]);
  stream.now += 3_500_000;
  test.strictSame(send('mentioned'), [], 'a mention by name is not refused');
  stream.now += 101_000;
  test.strictSame(send('mentioned'), [11]);
});

t.test(
  'a receiver with other settings, and one who mutes the earlier sender, hears of the next message',
  async (test) => {
    const stream = new Stream();
    stream.setPreferences(12, true, 120, [10]);
    stream.setNotified(12);
    test.strictSame(stream.send(10, 'tides', false), [[], []]);
    test.strictSame(stream.send(13, 'tides', false)[0], [12], 'the first message was of a muted user');
    test.strictSame(stream.send(10, 'gulls', false, { 11: ['mentioned'] })[0], [11]);
    stream.setPreferences(11, true, 60, []);
    test.strictSame(stream.send(10, 'gulls', false, { 11: ['mentioned'] })[0], [11], 'another batching period');
  },
);

t.test('the shortcut changes no command', async (test) => {
  const id = fc.constantFrom(...IDS);
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ sender: id, topic: fc.constantFrom('a', 'A', 'b'), wildcard: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ reads: id, sender: id, mentions: id }) },
    { weight: 2, arbitrary: fc.record({ passed: fc.constantFrom(1_000, 9_000, 31_000, 70_000) }) },
    { weight: 1, arbitrary: fc.record({ user: id, subscribed: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ user: id, active: fc.boolean() }) },
    {
      weight: 2,
      arbitrary: fc.record({
        user: id,
        mails: fc.boolean(),
        period: fc.constantFrom(10, 30, 120),
        muted: fc.array(id, { maxLength: 2 }),
      }),
    },
  );
  let commands = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
      const stream = new Stream();
      for (const one of steps) {
        if ('passed' in one) stream.now += one.passed;
        else if ('subscribed' in one) stream.setSubscribed(one.user, one.subscribed);
        else if ('active' in one) stream.setUser(one.user, one.active);
        else if ('mails' in one) stream.setPreferences(one.user, one.mails, one.period, one.muted);
        else {
          const flags = 'reads' in one ? { [one.mentions]: ['mentioned'], [one.reads]: ['read'] } : {};
          const [ours, all] =
            'reads' in one
              ? stream.send(one.sender, 'a', true, flags)
              : stream.send(one.sender, one.topic, one.wildcard);
          commands += ours!.length;
          test.strictSame(ours, all);
        }
      }
    }),
    { numRuns: rounds(300, 3_000) },
  );
  test.ok(commands > 100);
});
