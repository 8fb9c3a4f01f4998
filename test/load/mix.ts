/** Mix: the actions of simulated clients and their frequencies, as data, with a default for office chat. */

export const ACTIONS = [
  'stream_message',
  'direct_message',
  'react',
  'mark_read',
  'star',
  'edit',
  'presence',
  'status',
  'open_narrow',
  'search',
  'topics',
  'settings',
  'mute_topic',
  'draft',
  'reload',
] as const;
export type ActionName = (typeof ACTIONS)[number];

/** Entry of the mix: an action and exactly one of the four occasions for it. */
export interface MixEntry {
  readonly action: ActionName;
  /** Frequency per client and minute, at random times (Poisson process). */
  readonly perMinute?: number;
  /** Fixed interval, s, like a timer of a client. */
  readonly everySeconds?: number;
  /** Probability per message received from another user. */
  readonly perReceived?: number;
  /** Probability per message that the client sends. */
  readonly perSent?: number;
  /** Mean delay after the received or sent message, s, exponentially distributed. */
  readonly afterSeconds?: number;
  /** Probability of a typing notification before a message. */
  readonly typing?: number;
  /** Mean time of writing a message, s. */
  readonly composeSeconds?: number;
  /** Probability that a direct message goes to two other users instead of one. */
  readonly group?: number;
  /** Probability of removing a reaction, or of marking fetched messages as read. */
  readonly followUp?: number;
  /** Number of messages to fetch. */
  readonly messages?: number;
}

export interface MessageText {
  readonly weight: number;
  /** Text of a message; `{name}` becomes a mention of a recipient, `{n}` a random number. */
  readonly text: string;
}

export interface Mix {
  readonly actions: readonly MixEntry[];
  readonly texts: readonly MessageText[];
  /** Search words; some of them occur in the texts. */
  readonly words: readonly string[];
  readonly emoji: readonly string[];
  /** Number of topics in each stream. */
  readonly topics: number;
  /** Parameters of POST /register, as the API encodes them. */
  readonly register: Readonly<Record<string, unknown>>;
  /** Number of messages that a client fetches at its start; 0 for no fetch. */
  readonly history: number;
  /** User-Agent header. The server marks a user's own messages as read if it names an interactive client. */
  readonly client: string;
}

/**
 * Office users in their busiest hour, each with one client that is always open. The frequencies are assumptions, not
 * measurements: common figures of office chat (20 to 60 messages per user and day, most within a few hours; about ten
 * read for each one written) and the timers of web clients.
 */
export const DEFAULT_MIX: Mix = {
  actions: [
    // 20 stream messages and 10 direct messages an hour. Most clients send typing notifications.
    { action: 'stream_message', perMinute: 0.33, typing: 0.8, composeSeconds: 6 },
    { action: 'direct_message', perMinute: 0.17, typing: 0.8, composeSeconds: 4, group: 0.15 },
    // One reaction per 33 received messages.
    { action: 'react', perReceived: 0.03, afterSeconds: 8, followUp: 0.05 },
    // Clients mark visible messages, several in one request; `open_narrow` marks those of other conversations.
    { action: 'mark_read', perReceived: 0.4, afterSeconds: 3 },
    { action: 'star', perReceived: 0.001, afterSeconds: 10 },
    // One edit per 20 sent messages.
    { action: 'edit', perSent: 0.05, afterSeconds: 15 },
    // Presence timer of all clients (server_presence_ping_interval_seconds).
    { action: 'presence', everySeconds: 60 },
    // One status change per 100 minutes.
    { action: 'status', perMinute: 0.01 },
    // Users open a conversation every 100 s, and read half of them to the end.
    { action: 'open_narrow', perMinute: 0.6, messages: 100, followUp: 0.5 },
    { action: 'search', perMinute: 0.03, messages: 100 },
    { action: 'topics', perMinute: 0.1 },
    { action: 'settings', perMinute: 0.005 },
    { action: 'mute_topic', perMinute: 0.005 },
    // Drafts are unfinished messages in a conversation that the user leaves.
    { action: 'draft', perMinute: 0.05 },
    // The page is reloaded, or a laptop resumes, every 100 minutes.
    { action: 'reload', perMinute: 0.01 },
  ],
  texts: [
    { weight: 30, text: 'Yes, that works for me.' },
    { weight: 20, text: 'I have pushed the change, the build should be green in a few minutes.' },
    { weight: 12, text: '{name} can you have a look at this today?' },
    { weight: 10, text: 'See https://ci.example.com/builds/{n} for the log of the failure.' },
    {
      weight: 8,
      text: 'The **release** moves to Thursday:\n\n* the notes are missing\n* `migrate --all` needs a test\n* support wants a word',
    },
    {
      weight: 6,
      text: '```\nTypeError: undefined is not a function\n    at handler (server.js:{n})\n```\nDoes anybody know this one?',
    },
    { weight: 6, text: '> Did we decide on the format?\n\nWe did: JSON, one object per line. :thumbs_up:' },
    {
      weight: 8,
      text: 'I looked through the figures of last week. The number of requests grew by a third, mostly in the morning, and the time to answer stayed where it was; so the new machines do what we hoped for, and we can put off the rest of the plan until spring.',
    },
  ],
  words: ['release', 'build', 'figures', 'format', 'handler', 'plan', 'lunch', 'invoice'],
  emoji: ['+1', 'tada', 'heart', 'smile', 'eyes', 'check'],
  topics: 8,
  register: {
    apply_markdown: true,
    client_gravatar: true,
    slim_presence: true,
    client_capabilities: {
      notification_settings_null: true,
      bulk_message_deletion: true,
      user_avatar_url_field_optional: true,
      stream_typing_notifications: true,
      user_settings_object: true,
    },
  },
  history: 200,
  client: 'ZulipElectron/5.9',
};

const OCCASIONS = ['perMinute', 'everySeconds', 'perReceived', 'perSent'] as const;
/** Largest value of each field. */
const MAX_VALUES: Readonly<Record<string, number>> = {
  perMinute: 6_000,
  everySeconds: 86_400,
  perReceived: 1,
  perSent: 1,
  afterSeconds: 3_600,
  typing: 1,
  composeSeconds: 600,
  group: 1,
  followUp: 1,
  messages: 5_000,
};
/** Required occasion of actions on a message: a reaction, for example, needs a received message. */
const REQUIRED_OCCASIONS: Partial<Record<ActionName, readonly string[]>> = {
  react: ['perReceived'],
  mark_read: ['perReceived'],
  star: ['perReceived'],
  edit: ['perSent'],
};

function checkEntry(given: unknown, at: string): MixEntry {
  if (typeof given !== 'object' || given === null) throw new Error(`${at} is not an object`);
  const fields = given as Record<string, unknown>;
  const action = fields.action as ActionName;
  if (!ACTIONS.includes(action))
    throw new Error(`${at}: no action '${String(action)}'; there are ${ACTIONS.join(', ')}`);
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'action') continue;
    const most = MAX_VALUES[name];
    if (most === undefined) throw new Error(`${at}: unknown field ${name}`);
    if (typeof value !== 'number' || !(value >= 0 && value <= most)) {
      throw new Error(`${at}: ${name} is not a number from 0 to ${most}`);
    }
  }
  const occasions = OCCASIONS.filter((name) => fields[name] !== undefined);
  if (occasions.length !== 1) throw new Error(`${at}: needs exactly one of ${OCCASIONS.join(', ')}`);
  const needs = REQUIRED_OCCASIONS[action];
  if (needs && !needs.includes(occasions[0]!)) throw new Error(`${at}: ${action} goes with ${needs.join(' or ')}`);
  if (fields.everySeconds !== undefined && !((fields.everySeconds as number) >= 0.1)) {
    throw new Error(`${at}: everySeconds is less than 0.1`);
  }
  return given as MixEntry;
}

/**
 * Completes a user's mix with the fields of the default mix.
 * @throws Error with the invalid field
 */
export function mixOf(given: unknown): Mix {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Error('the mix is not an object');
  const fields = given as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    if (!(name in DEFAULT_MIX)) throw new Error(`unknown field ${name}`);
    const [value, expected] = [fields[name], DEFAULT_MIX[name as keyof Mix]];
    if (typeof value !== typeof expected || Array.isArray(value) !== Array.isArray(expected) || value === null) {
      throw new Error(`${name} is of the wrong type`);
    }
  }
  const mix = { ...DEFAULT_MIX, ...(fields as Partial<Mix>) };
  mix.actions.forEach((entry, i) => {
    checkEntry(entry, `actions[${i}]`);
  });
  for (const { weight, text } of mix.texts) {
    if (!(weight > 0) || typeof text !== 'string' || text === '') throw new Error('a text needs a weight and a text');
  }
  for (const name of ['texts', 'words', 'emoji'] as const)
    if (mix[name].length === 0) throw new Error(`${name} is empty`);
  if (!(mix.topics >= 1)) throw new Error('topics is less than 1');
  if (!(mix.history >= 0 && mix.history <= 5_000)) throw new Error('history is not a number from 0 to 5000');
  if (/[\r\n]/.test(mix.client)) throw new Error('client has a line end');
  return mix;
}
