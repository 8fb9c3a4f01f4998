/** Mix: the actions of simulated clients and their frequencies, as data. The default is usual behaviour. */

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

/** One line of the mix: an action and exactly one of its four occasions. */
export interface Entry {
  readonly action: ActionName;
  /** Times per client and minute, at random moments (Poisson). */
  readonly perMinute?: number;
  /** At fixed distances, as clients' timers do. */
  readonly everySeconds?: number;
  /** Chance for each message received from somebody else. */
  readonly perReceived?: number;
  /** Chance for each message of one's own. */
  readonly perSent?: number;
  /** After what was received or sent: mean of an exponential distribution. */
  readonly afterSeconds?: number;
  /** Messages: chance of a typing notification while the text is written. */
  readonly typing?: number;
  /** Messages: time of writing the text, s. */
  readonly composeSeconds?: number;
  /** Direct messages: chance of a conversation of three. */
  readonly group?: number;
  /** Reactions: chance of removing the reaction. Narrows: chance of marking the fetched messages as read. */
  readonly followUp?: number;
  /** Fetches: number of messages. */
  readonly messages?: number;
}

export interface Text {
  readonly weight: number;
  /** `{name}` is a mention of a subscriber, `{n}` a number. */
  readonly text: string;
}

export interface Mix {
  readonly actions: readonly Entry[];
  readonly texts: readonly Text[];
  /** Words that searches look for: some of them stand in the texts. */
  readonly words: readonly string[];
  readonly emoji: readonly string[];
  /** In each stream. */
  readonly topics: number;
  /** Parameters of POST /register, as the API encodes them. */
  readonly register: Readonly<Record<string, unknown>>;
  /** Messages fetched when a client starts; 0: none. */
  readonly history: number;
  /** User-Agent. Names of clients for people make one's own messages read. */
  readonly client: string;
}

/**
 * People at work in their busiest hour, each with one client that is always open. The frequencies are assumptions, not
 * measurements of ours: they follow what is commonly said of office chat (20 to 60 messages a person and day, most in
 * a few hours; some ten read for each one written) and what the timers of web clients do.
 */
export const DEFAULT_MIX: Mix = {
  actions: [
    // 20 messages an hour to streams, 10 to people. Most clients send typing notifications.
    { action: 'stream_message', perMinute: 0.33, typing: 0.8, composeSeconds: 6 },
    { action: 'direct_message', perMinute: 0.17, typing: 0.8, composeSeconds: 4, group: 0.15 },
    // One reaction to some thirty messages that one sees.
    { action: 'react', perReceived: 0.03, afterSeconds: 8, followUp: 0.05 },
    // Clients mark what is in view, several messages in one request; what comes in elsewhere is read on opening it.
    { action: 'mark_read', perReceived: 0.4, afterSeconds: 3 },
    { action: 'star', perReceived: 0.001, afterSeconds: 10 },
    // One message in twenty is corrected.
    { action: 'edit', perSent: 0.05, afterSeconds: 15 },
    // The timer of all clients (server_presence_ping_interval_seconds).
    { action: 'presence', everySeconds: 60 },
    // Twice a day, but in the hours that count.
    { action: 'status', perMinute: 0.01 },
    // Another conversation is opened every minute or two; half of the time it is read to its end.
    { action: 'open_narrow', perMinute: 0.6, messages: 100, followUp: 0.5 },
    { action: 'search', perMinute: 0.03, messages: 100 },
    { action: 'topics', perMinute: 0.1 },
    { action: 'settings', perMinute: 0.005 },
    { action: 'mute_topic', perMinute: 0.005 },
    // A message that isn't finished when the conversation is left.
    { action: 'draft', perMinute: 0.05 },
    // A reload of the page, or a laptop that wakes: every 100 minutes.
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
/** Field → most that it may be. */
const NUMBERS: Readonly<Record<string, number>> = {
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
/** A reaction, for example, needs a message that was received. */
const NEEDS: Partial<Record<ActionName, readonly string[]>> = {
  react: ['perReceived'],
  mark_read: ['perReceived'],
  star: ['perReceived'],
  edit: ['perSent'],
};

function entryOf(given: unknown, at: string): Entry {
  if (typeof given !== 'object' || given === null) throw new Error(`${at} is not an object`);
  const fields = given as Record<string, unknown>;
  const action = fields.action as ActionName;
  if (!ACTIONS.includes(action))
    throw new Error(`${at}: no action '${String(action)}'; there are ${ACTIONS.join(', ')}`);
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'action') continue;
    const most = NUMBERS[name];
    if (most === undefined) throw new Error(`${at}: unknown field ${name}`);
    if (typeof value !== 'number' || !(value >= 0 && value <= most)) {
      throw new Error(`${at}: ${name} is not a number from 0 to ${most}`);
    }
  }
  const occasions = OCCASIONS.filter((name) => fields[name] !== undefined);
  if (occasions.length !== 1) throw new Error(`${at}: needs exactly one of ${OCCASIONS.join(', ')}`);
  const needs = NEEDS[action];
  if (needs && !needs.includes(occasions[0]!)) throw new Error(`${at}: ${action} goes with ${needs.join(' or ')}`);
  if (fields.everySeconds !== undefined && !((fields.everySeconds as number) >= 0.1)) {
    throw new Error(`${at}: everySeconds is less than 0.1`);
  }
  return given as Entry;
}

/**
 * A mix of somebody's own: what it doesn't say is as in the default mix.
 * @throws Error that names what is off
 */
export function mixOf(given: unknown): Mix {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Error('the mix is not an object');
  const fields = given as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    if (!(name in DEFAULT_MIX)) throw new Error(`unknown field ${name}`);
    const [is, should] = [fields[name], DEFAULT_MIX[name as keyof Mix]];
    if (typeof is !== typeof should || Array.isArray(is) !== Array.isArray(should) || is === null) {
      throw new Error(`${name} is of the wrong type`);
    }
  }
  const mix = { ...DEFAULT_MIX, ...(fields as Partial<Mix>) };
  mix.actions.forEach((entry, i) => {
    entryOf(entry, `actions[${i}]`);
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
