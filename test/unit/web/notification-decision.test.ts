/** The decision to notify about a message, by settings of the account and of the stream, mutes and mentions. */
import t from 'tap';
import type { Events, Snapshot, Subscriptions } from '../../../web/src/contract/index.js';
import { ClientState, TOPIC_VISIBILITY_POLICY } from '../../../web/src/core/index.js';
import { decideNotification } from '../../../web/src/notify/decide.js';
import { FakePlatform, FakeServer, ME, messageOf } from './fake-server.js';

const STREAM = 7;
const SENDER = 2;
const TOPIC = 'plans';

type Flags = Events['message']['flags'];

interface Case {
  readonly settings?: Partial<Snapshot['user_settings']>;
  readonly stream?: Partial<Subscriptions>;
  readonly topicPolicy?: number;
  readonly isSenderMuted?: boolean;
  readonly isOwn?: boolean;
  readonly isDirect?: boolean;
  readonly flags?: Flags;
}

/** An account as it begins: notifications of direct messages and mentions, none of streams. */
const SETTINGS: Partial<Snapshot['user_settings']> = {
  enable_desktop_notifications: true,
  enable_sounds: true,
  enable_stream_desktop_notifications: false,
  enable_stream_audible_notifications: false,
  wildcard_mentions_notify: true,
};

/** @returns `desktop`, `sound`, both or nothing */
function decide({ settings, stream, topicPolicy, isSenderMuted, isOwn, isDirect, flags = [] }: Case): string {
  const state = new ClientState(new FakePlatform(new FakeServer()));
  state.loadFromSnapshot({
    user_id: ME,
    user_settings: { ...SETTINGS, ...settings },
    subscriptions: [
      {
        ...{ stream_id: STREAM, name: 'general', is_muted: false, invite_only: false, is_web_public: false },
        ...{ desktop_notifications: null, audible_notifications: null, wildcard_mentions_notify: null },
        ...stream,
      },
    ],
    muted_users: isSenderMuted ? [{ id: SENDER, timestamp: 1 }] : [],
    user_topics:
      topicPolicy === undefined
        ? []
        : [{ stream_id: STREAM, topic_name: TOPIC, last_updated: 1, visibility_policy: topicPolicy }],
  } as Partial<Snapshot> as Snapshot);
  const { stream_id, ...unplaced } = messageOf(9, TOPIC);
  const place = isDirect ? { type: 'private', display_recipient: [{ id: ME }, { id: SENDER }] } : { stream_id };
  const message = { ...unplaced, ...place, ...(isOwn ? { sender_id: ME } : {}) } as Events['message']['message'];
  const { desktop, sound } = decideNotification({ id: 1, type: 'message', message, flags } as Events['message'], state);
  return [desktop && 'desktop', sound && 'sound'].filter(Boolean).join(' and ') || 'nothing';
}

const { muted, unmuted, followed } = TOPIC_VISIBILITY_POLICY;
const BOTH = 'desktop and sound';
const NOTHING = 'nothing';
const LOUD_STREAMS = { enable_stream_desktop_notifications: true, enable_stream_audible_notifications: true };

const TABLE: readonly (readonly [title: string, of: Case, decision: string])[] = [
  ['a direct message notifies', { isDirect: true }, BOTH],
  ['a direct message makes no sound without sounds', { isDirect: true, settings: { enable_sounds: false } }, 'desktop'],
  [
    'a direct message makes only a sound without notifications',
    { isDirect: true, settings: { enable_desktop_notifications: false } },
    'sound',
  ],
  ['settings of streams do not count for direct messages', { isDirect: true, settings: LOUD_STREAMS }, BOTH],
  ['an own message does not notify', { isDirect: true, isOwn: true }, NOTHING],
  ['a message that is read already does not notify', { isDirect: true, flags: ['read'] }, NOTHING],
  ['a direct message of a muted person does not notify', { isDirect: true, isSenderMuted: true }, NOTHING],

  ['a message of a stream does not notify by itself', {}, NOTHING],
  ['it does where the account says so for streams', { settings: LOUD_STREAMS }, BOTH],
  ['notifications of streams alone', { settings: { enable_stream_desktop_notifications: true } }, 'desktop'],
  ['sounds of streams alone', { settings: { enable_stream_audible_notifications: true } }, 'sound'],
  ['the stream is louder than the account', { stream: { desktop_notifications: true } }, 'desktop'],
  ['the stream sounds and the account does not', { stream: { audible_notifications: true } }, 'sound'],
  [
    'the stream is quieter than the account',
    { settings: LOUD_STREAMS, stream: { desktop_notifications: false, audible_notifications: false } },
    NOTHING,
  ],
  ['a muted person is quiet in loud streams', { settings: LOUD_STREAMS, isSenderMuted: true }, NOTHING],

  ['a muted stream is quiet', { settings: LOUD_STREAMS, stream: { is_muted: true } }, NOTHING],
  ['a muted topic is quiet', { settings: LOUD_STREAMS, topicPolicy: muted }, NOTHING],
  [
    'an unmuted topic of a muted stream is as loud as the stream',
    { settings: LOUD_STREAMS, stream: { is_muted: true }, topicPolicy: unmuted },
    BOTH,
  ],
  [
    'a followed topic of a muted stream is as loud as the stream',
    { settings: LOUD_STREAMS, stream: { is_muted: true }, topicPolicy: followed },
    BOTH,
  ],
  ['an unmuted topic is no louder than its stream', { topicPolicy: unmuted }, NOTHING],

  ['a mention notifies in a quiet stream', { flags: ['mentioned'] }, BOTH],
  ['a mention notifies in a muted stream', { flags: ['mentioned'], stream: { is_muted: true } }, BOTH],
  ['a mention notifies in a muted topic', { flags: ['mentioned'], topicPolicy: muted }, BOTH],
  [
    'a mention follows the settings of the account, not those of the stream',
    { flags: ['mentioned'], settings: { enable_sounds: false }, stream: { audible_notifications: true } },
    'desktop',
  ],
  ['a mention by a muted person does not notify', { flags: ['mentioned'], isSenderMuted: true }, NOTHING],
  ['a mention that is read already does not notify', { flags: ['read', 'mentioned'] }, NOTHING],

  ['a mention of all notifies', { flags: ['wildcard_mentioned'] }, BOTH],
  [
    'a mention of all does not notify where the account says so',
    { flags: ['wildcard_mentioned'], settings: { wildcard_mentions_notify: false } },
    NOTHING,
  ],
  [
    'a mention of all does not notify where the stream says so',
    { flags: ['wildcard_mentioned'], stream: { wildcard_mentions_notify: false } },
    NOTHING,
  ],
  [
    'a mention of all notifies where the stream is louder than the account',
    {
      flags: ['wildcard_mentioned'],
      settings: { wildcard_mentions_notify: false },
      stream: { wildcard_mentions_notify: true },
    },
    BOTH,
  ],
  [
    'a mention of all that does not count is a message as any other',
    { flags: ['wildcard_mentioned'], settings: { ...LOUD_STREAMS, wildcard_mentions_notify: false } },
    BOTH,
  ],
  ['a mention of all does not notify in a muted topic', { flags: ['wildcard_mentioned'], topicPolicy: muted }, NOTHING],
  [
    'a mention of all does not notify in a muted stream',
    { flags: ['wildcard_mentioned'], stream: { is_muted: true } },
    NOTHING,
  ],

  ['an alert word notifies', { flags: ['has_alert_word'] }, BOTH],
  ['an alert word does not notify in a muted topic', { flags: ['has_alert_word'], topicPolicy: muted }, NOTHING],
  [
    'an alert word follows the settings of the account',
    { flags: ['has_alert_word'], settings: { enable_desktop_notifications: false, enable_sounds: false } },
    NOTHING,
  ],
];

for (const [title, of, decision] of TABLE) t.test(title, async (t) => t.equal(decide(of), decision));
