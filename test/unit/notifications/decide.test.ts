import t from 'tap';
import {
  decideMailNotificationTrigger,
  decidePushNotificationTrigger,
  isUserAway,
  type NotificationCandidateMessage,
  type NotificationReceiver,
  type NotificationTrigger,
  type SubscriptionNotificationSettings,
} from '#domain/notifications';
import { TOPIC_VISIBILITY_POLICY } from '#domain/streams';
import { toUserId, type UserSettings } from '#model';
import { person } from '../../support/person.js';

const SUBSCRIBED: SubscriptionNotificationSettings = {
  active: true,
  muted: false,
  push: null,
  email: null,
  wildcard: null,
};
const { muted, unmuted, followed, inherit } = TOPIC_VISIBILITY_POLICY;

interface Case {
  readonly direct?: true;
  readonly flags?: readonly string[];
  readonly wildcard?: true;
  readonly settings?: Partial<UserSettings>;
  readonly own?: Partial<SubscriptionNotificationSettings>;
  readonly policy?: number;
  readonly receiver?: Partial<NotificationReceiver['user']>;
  readonly mutes?: readonly number[];
}

const SENDER = toUserId(9);

function inputsOf({ direct, flags, wildcard, settings = {}, own, policy = inherit, receiver, mutes = [] }: Case) {
  const message: NotificationCandidateMessage = {
    sender: SENDER,
    direct: direct === true,
    wildcard: wildcard === true,
    flags,
  };
  const to: NotificationReceiver = {
    user: { ...person(8), ...receiver },
    preferences: { settings, muted: mutes.map((id) => ({ id, timestamp: 0 })) },
    subscription: direct ? undefined : { ...SUBSCRIBED, ...own },
    topicPolicy: policy,
  };
  return { message, to };
}

const MENTION = { flags: ['mentioned'] };
const ALERT = { flags: ['has_alert_word'] };
const EVERYBODY = { wildcard: true } as const;
const TOPIC = { flags: ['wildcard_mentioned'] };
const NO_PERSONAL = { enable_offline_email_notifications: false, enable_offline_push_notifications: false };
const ALL_STREAMS = { enable_stream_email_notifications: true, enable_stream_push_notifications: true };
const NOT_FOLLOWED = {
  enable_followed_topic_email_notifications: false,
  enable_followed_topic_push_notifications: false,
  enable_followed_topic_wildcard_mentions_notify: false,
};
const NONE = undefined;

type Row = readonly [
  title: string,
  of: Case,
  mail: NotificationTrigger | undefined,
  push?: NotificationTrigger | undefined,
];

/** Rows for a receiver who is away. A push has the same reason as a mail, unless the row has a fourth entry. */
const ROWS: readonly Row[] = [
  ['a direct message', { direct: true }, 'direct'],
  [
    'a direct message, mails off',
    { direct: true, settings: { enable_offline_email_notifications: false } },
    NONE,
    'direct',
  ],
  [
    'a direct message, pushes off',
    { direct: true, settings: { enable_offline_push_notifications: false } },
    'direct',
    NONE,
  ],
  ['a direct message with a mention', { direct: true, ...MENTION }, 'direct'],
  ['a direct message of a muted user', { direct: true, flags: ['read'], mutes: [9] }, NONE],
  ['a message to oneself', { direct: true, receiver: { id: SENDER } }, NONE],
  ['a message to a bot', { direct: true, receiver: { botType: 1 } }, NONE],
  ['a message to a deactivated account', { direct: true, receiver: { isActive: false } }, NONE],
  ['a copy that is read from the beginning', { direct: true, flags: ['read'] }, NONE],
  ['a message to a stream', {}, NONE],
  ['a mention', MENTION, 'mention'],
  ['a mention, personal notifications off', { ...MENTION, settings: NO_PERSONAL }, NONE],
  ['a mention in a muted stream', { ...MENTION, own: { muted: true } }, 'mention'],
  ['a mention in a muted topic', { ...MENTION, policy: muted }, 'mention'],
  ['a mention by a muted user', { ...MENTION, mutes: [9] }, NONE],
  ['a mention after leaving the stream', { ...MENTION, own: { active: false } }, NONE],
  ['a mention that is also an alert word', { flags: ['mentioned', 'has_alert_word'] }, 'mention'],
  ['a mention of everybody', EVERYBODY, 'wildcard_mention'],
  ['a mention of everybody, personal notifications off', { ...EVERYBODY, settings: NO_PERSONAL }, NONE],
  [
    'a mention of everybody, off for all streams',
    { ...EVERYBODY, settings: { wildcard_mentions_notify: false } },
    NONE,
  ],
  ['a mention of everybody, off for this stream', { ...EVERYBODY, own: { wildcard: false } }, NONE],
  [
    'a mention of everybody, on for this stream only',
    { ...EVERYBODY, own: { wildcard: true }, settings: { wildcard_mentions_notify: false } },
    'wildcard_mention',
  ],
  ['a mention of everybody in a muted stream', { ...EVERYBODY, own: { muted: true } }, NONE],
  ['a mention of everybody in a muted topic', { ...EVERYBODY, policy: muted }, NONE],
  [
    'a mention of everybody in an unmuted topic of a muted stream',
    { ...EVERYBODY, own: { muted: true }, policy: unmuted },
    'wildcard_mention',
  ],
  ["a topic's mention", TOPIC, 'wildcard_mention'],
  ["a topic's mention, off for all streams", { ...TOPIC, settings: { wildcard_mentions_notify: false } }, NONE],
  ["a topic's mention in a muted topic", { ...TOPIC, policy: muted }, NONE],
  ['an alert word', ALERT, 'alert_word'],
  ['an alert word, personal notifications off', { ...ALERT, settings: NO_PERSONAL }, NONE],
  ['an alert word in a muted topic', { ...ALERT, policy: muted }, NONE],
  ['an alert word in a muted stream', { ...ALERT, own: { muted: true } }, NONE],
  ['a stream with notifications', { own: { email: true, push: true } }, 'stream'],
  ['a stream with mails', { own: { email: true } }, 'stream', NONE],
  ['a stream with pushes', { own: { push: true } }, NONE, 'stream'],
  ['all streams with notifications', { settings: ALL_STREAMS }, 'stream'],
  ['all streams but this one', { settings: ALL_STREAMS, own: { email: false, push: false } }, NONE],
  [
    'a stream with notifications, personal ones off',
    { own: { email: true, push: true }, settings: NO_PERSONAL },
    'stream',
  ],
  ['a stream with notifications that is muted', { own: { email: true, push: true, muted: true } }, NONE],
  ['a muted topic of a stream with notifications', { own: { email: true, push: true }, policy: muted }, NONE],
  [
    'an unmuted topic of a muted stream with notifications',
    { own: { email: true, push: true, muted: true }, policy: unmuted },
    'stream',
  ],
  [
    'a followed topic of a muted stream with notifications',
    { own: { email: true, push: true, muted: true }, policy: followed, settings: NOT_FOLLOWED },
    'stream',
  ],
  ['a followed topic', { policy: followed }, 'followed_topic'],
  ['an unmuted topic', { policy: unmuted }, NONE],
  ['a followed topic, personal notifications off', { policy: followed, settings: NO_PERSONAL }, 'followed_topic'],
  ['a followed topic, notifications of them off', { policy: followed, settings: NOT_FOLLOWED }, NONE],
  [
    'a followed topic, mails of them off',
    { policy: followed, settings: { enable_followed_topic_email_notifications: false } },
    NONE,
    'followed_topic',
  ],
  [
    'a followed topic, pushes of them off',
    { policy: followed, settings: { enable_followed_topic_push_notifications: false } },
    'followed_topic',
    NONE,
  ],
  ['a followed topic of a muted stream', { policy: followed, own: { muted: true } }, 'followed_topic'],
  [
    'a followed topic of a stream without notifications',
    { policy: followed, own: { email: false, push: false } },
    'followed_topic',
  ],
  ['a followed topic after leaving the stream', { policy: followed, own: { active: false } }, NONE],
  ['a muted user in a followed topic', { policy: followed, flags: ['read'], mutes: [9] }, NONE],
  ['a mention in a followed topic', { ...MENTION, policy: followed }, 'mention'],
  ['an alert word in a followed topic', { ...ALERT, policy: followed }, 'alert_word'],
  [
    'a mention of everybody in a followed topic, off for the stream',
    { ...EVERYBODY, policy: followed, own: { wildcard: false } },
    'wildcard_mention',
  ],
  [
    "a topic's mention in a followed topic, off for all streams",
    { ...TOPIC, policy: followed, settings: { wildcard_mentions_notify: false } },
    'wildcard_mention',
  ],
  [
    'a mention of everybody in a followed topic, off for streams and followed topics',
    { ...EVERYBODY, policy: followed, own: { wildcard: false }, settings: NOT_FOLLOWED },
    NONE,
  ],
  [
    'a mention of everybody in an unmuted topic, off for the stream',
    { ...EVERYBODY, policy: unmuted, own: { wildcard: false } },
    NONE,
  ],
  ['a muted user in a stream with notifications', { own: { email: true, push: true }, mutes: [9] }, NONE],
  [
    'a mention of everybody that does not notify, in a stream with notifications',
    { ...EVERYBODY, own: { email: true, push: true, wildcard: false } },
    'stream',
  ],
];

t.test('what an absent user is told by mail and by push', async (t) => {
  for (const [title, of, mail, ...push] of ROWS) {
    const { message, to } = inputsOf(of);
    t.equal(decideMailNotificationTrigger(message, to, true), mail, `mail: ${title}`);
    t.equal(decidePushNotificationTrigger(message, to, true), push.length > 0 ? push[0] : mail, `push: ${title}`);
  }
});

t.test('a user who is there gets no mail, and pushes unless they are off', async (t) => {
  for (const [title, of] of ROWS) {
    const { message, to } = inputsOf(of);
    t.equal(decideMailNotificationTrigger(message, to, false), undefined, `mail: ${title}`);
    t.equal(
      decidePushNotificationTrigger(message, to, false),
      decidePushNotificationTrigger(message, to, true),
      `push: ${title}`,
    );
    const { message: same, to: quiet } = inputsOf({
      ...of,
      settings: { ...of.settings, enable_online_push_notifications: false },
    });
    t.equal(decidePushNotificationTrigger(same, quiet, false), undefined, `no push: ${title}`);
  }
});

t.test('a user is away 200 seconds after their last activity', async (t) => {
  const now = 1_000_000;
  t.ok(isUserAway(undefined, now), 'unknown');
  t.ok(isUserAway({ active: null, connected: now }, now), 'connected, but never active');
  t.notOk(isUserAway({ active: now - 200_000, connected: now }, now));
  t.ok(isUserAway({ active: now - 200_001, connected: now }, now));
});
