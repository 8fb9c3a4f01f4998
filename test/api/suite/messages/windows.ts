/** GET /messages against a plain model: narrow.md § Anchors and windows, § Base set. */
import fc from 'fast-check';
import { makeOrganization, NOTIFICATION_BOT, type Person, say, subscribe, tell } from '../../support/organization.js';
import type { ApiMessage } from '../../support/types.js';
import type { Facts } from '../facts.js';

const NEWEST = 10_000_000_000_000_000;
const RUNS = 300;

interface Said {
  readonly id: number;
  readonly stream: string;
  readonly topic: string;
  readonly sender: number;
  readonly people: readonly number[];
  /** True if the reader has a copy. */
  readonly copy: boolean;
  readonly read: boolean;
}

interface Asked {
  readonly anchor: number | 'newest' | 'oldest' | 'first_unread';
  readonly before: number;
  readonly after: number;
  readonly include: boolean;
}

interface Window {
  readonly ids: number[];
  readonly anchor: number;
  readonly found_anchor: boolean;
  readonly found_oldest: boolean;
  readonly found_newest: boolean;
}

/** The algorithm of narrow.md, on a sorted list. */
function windowOf(rows: readonly Said[], { anchor: asked, before, after, include }: Asked): Window {
  const ids = rows.map((row) => row.id);
  const unread = rows.find((row) => row.copy && !row.read)?.id ?? NEWEST;
  const resolved = asked === 'oldest' ? 0 : asked === 'newest' ? NEWEST : asked === 'first_unread' ? unread : asked;
  const anchor = Math.min(Math.max(0, resolved), NEWEST);
  const left = anchor === 0;
  const right = anchor === NEWEST;
  const older = left || before === 0 ? [] : ids.filter((id) => id < anchor).slice(-before);
  const newer = right ? [] : ids.filter((id) => id > anchor).slice(0, after);
  const alone = (left || before === 0) && (right || after === 0);
  const at = !right && (include || alone) && ids.includes(anchor) ? [anchor] : [];
  return {
    ids: [...older, ...at, ...newer],
    anchor,
    found_anchor: at.length === 1,
    found_oldest: left || older.length < before,
    found_newest: right || newer.length < after,
  };
}

export const windows: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, member, other, guest } = org;
  await subscribe(owner, ['home', 'half', 'away']);
  await subscribe(owner, 'vault', { invite_only: true });
  await subscribe(owner, 'home', { principals: [member, guest] });
  const said: Said[] = [];
  const joined = new Set(['home']);
  /** Adds the bot's notices so far to the model: direct messages to the member, and messages in `streams`. */
  const notices = async (...streams: string[]): Promise<void> => {
    const all = { anchor: 'oldest', num_before: 0, num_after: 1000 };
    const narrows = [[['is', 'dm']], ...streams.map((name) => [['stream', name]])];
    for (const narrow of narrows) {
      const reader = narrow[0]![0] === 'is' ? member : owner;
      const { messages } = await reader.api.ok<{ messages: ApiMessage[] }>('GET /messages', { ...all, narrow });
      for (const { id, sender_id: sender, display_recipient: where, subject: topic } of messages) {
        if (sender !== NOTIFICATION_BOT || said.some((row) => row.id === id)) continue;
        const stream = typeof where === 'string' ? where : '';
        const people = stream === '' ? [NOTIFICATION_BOT, member.id] : [];
        said.push({ id, stream, topic, sender, people, copy: stream === '', read: false });
      }
    }
  };
  await notices('home', 'half', 'away', 'vault');
  said.sort((a, b) => a.id - b.id);
  const senders = [owner, member, guest];
  const random = fc.sample(fc.record({ kind: fc.nat(5), topic: fc.nat(1), sender: fc.nat(2), human: fc.boolean() }), {
    numRuns: 70,
    seed: 184,
  });
  for (const [i, { kind, topic: t, sender: s, human }] of random.entries()) {
    if (i === 35) {
      await subscribe(owner, ['half', 'vault'], { principals: [member] });
      for (const name of ['half', 'vault']) joined.add(name);
      await notices();
    }
    const stream = ['home', 'half', 'away', 'vault', '', ''][kind]!;
    const sender: Person = stream === '' || stream === 'home' ? senders[s]! : owner;
    const topic = stream === '' ? '' : `Topic ${t}`;
    const to = kind === 4 ? [member, other] : [other];
    const people = [...new Set([...to, sender].map((person) => person.id))].sort((a, b) => a - b);
    const by = human ? { ...sender, api: sender.api.with({ 'user-agent': 'ZulipMobile/1' }) } : sender;
    const id = stream === '' ? await tell(by, to) : await say(by, stream, topic);
    const copy = stream === '' ? people.includes(member.id) : joined.has(stream);
    said.push({
      id,
      stream,
      topic,
      sender: sender.id,
      people: stream === '' ? people : [],
      copy,
      read: human && sender === member,
    });
  }
  const history = (row: Said, name: string): boolean => row.copy || (row.stream === name && name !== 'vault');
  const narrows: [string, unknown, (row: Said) => boolean][] = [
    ['everything', [], (row) => row.copy],
    ['home', [['stream', 'home']], (row) => row.stream === 'home'],
    ['half, with the past', [['stream', 'half']], (row) => row.stream === 'half' && history(row, 'half')],
    ['away', [['stream', 'away']], (row) => row.stream === 'away'],
    ['vault', [['stream', 'vault']], (row) => row.stream === 'vault' && row.copy],
    [
      'a topic of half',
      [
        ['stream', 'half'],
        ['topic', 'topic 1'],
      ],
      (row) => row.stream === 'half' && row.topic === 'Topic 1',
    ],
    ['a topic anywhere', [['topic', 'TOPIC 0']], (row) => row.copy && row.topic === 'Topic 0'],
    ['public streams', [['streams', 'public']], (row) => row.stream !== '' && row.stream !== 'vault'],
    ['direct', [['is', 'dm']], (row) => row.copy && row.stream === ''],
    [
      'a pair',
      [{ operator: 'dm', operand: [other.id] }],
      (row) =>
        row.stream === '' && row.people.length === 2 && row.people.includes(member.id) && row.people.includes(other.id),
    ],
    ['a sender', [{ operator: 'sender', operand: owner.id }], (row) => row.copy && row.sender === owner.id],
    [
      'not a stream',
      [{ operator: 'stream', operand: 'home', negated: true }],
      (row) => row.copy && row.stream !== 'home',
    ],
    [
      'not a sender',
      [{ operator: 'sender', operand: owner.id, negated: true }],
      (row) => row.copy && row.sender !== owner.id,
    ],
    ['a word in everything', [['search', 'messages']], (row) => row.copy && row.sender !== NOTIFICATION_BOT],
    [
      'a word in half, with the past',
      [
        ['search', 'Message'],
        ['stream', 'half'],
      ],
      (row) => row.stream === 'half' && row.sender !== NOTIFICATION_BOT,
    ],
    [
      'a topic, by its words',
      [
        ['search', '"topic 1" message'],
        ['streams', 'public'],
      ],
      (row) => row.stream !== '' && row.stream !== 'vault' && row.topic === 'Topic 1',
    ],
    ['unread', [['is', 'unread']], (row) => row.copy && !row.read],
    [
      'unread of half, without its past',
      [
        ['is', 'unread'],
        ['stream', 'half'],
      ],
      (row) => row.copy && !row.read && row.stream === 'half',
    ],
    ['read', [{ operator: 'is', operand: 'unread', negated: true }], (row) => row.copy && row.read],
    [
      'sent by one, in a topic',
      [
        { operator: 'sender', operand: owner.id },
        { operator: 'topic', operand: 'topic 1' },
      ],
      (row) => row.copy && row.sender === owner.id && row.topic === 'Topic 1',
    ],
    [
      'in the stream of a topic, not by one',
      [
        { operator: 'stream', operand: 'home' },
        { operator: 'sender', operand: owner.id, negated: true },
        { operator: 'is', operand: 'dm', negated: true },
      ],
      (row) => row.copy && row.stream === 'home' && row.sender !== owner.id,
    ],
    [
      'nothing',
      [
        ['stream', 'home'],
        ['stream', 'half'],
      ],
      () => false,
    ],
  ];

  await t.test('every window is the one that a simple model computes', async (t) => {
    const ids = said.map((row) => row.id);
    const anchor = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...ids) },
      { weight: 2, arbitrary: fc.integer({ min: -3, max: ids.at(-1)! + 5 }) },
      { weight: 2, arbitrary: fc.constantFrom('newest' as const, 'oldest' as const, 'first_unread' as const) },
      { weight: 1, arbitrary: fc.constantFrom(0, NEWEST, NEWEST * 10) },
    );
    const size = fc.oneof(fc.nat(4), fc.constantFrom(0, 1, 100));
    const asked = fc
      .record({ narrow: fc.nat(narrows.length - 1), anchor, before: size, after: size, include: fc.boolean() })
      .filter(({ before, after, include }) => include || before === 0 || after === 0);
    await fc.assert(
      fc.asyncProperty(asked, async ({ narrow: n, ...window }) => {
        const [title, narrow, matches] = narrows[n]!;
        const body = await member.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
          narrow,
          anchor: typeof window.anchor === 'number' ? BigInt(window.anchor).toString() : window.anchor,
          num_before: window.before,
          num_after: window.after,
          include_anchor: window.include,
        });
        const { anchor, found_anchor, found_oldest, found_newest } = body as unknown as Window;
        const got: Window = {
          ids: body.messages.map((message) => message.id),
          anchor,
          found_anchor,
          found_oldest,
          found_newest,
        };
        const expected = windowOf(said.filter(matches), window);
        if (JSON.stringify(got) !== JSON.stringify(expected)) {
          throw new Error(`${title}: got ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);
        }
      }),
      { numRuns: RUNS },
    );
    t.pass(`${RUNS} windows`);
  });

  await t.test('paging through everything in small steps finds each message once', async (t) => {
    for (const [title, narrow, matches] of narrows) {
      const seen: number[] = [];
      for (let anchor = 'oldest', last = false; !last; ) {
        const params = { narrow, anchor, num_before: 0, num_after: 7, include_anchor: false };
        const { messages, found_newest } = await member.api.ok<{ messages: ApiMessage[]; found_newest: boolean }>(
          'GET /messages',
          params,
        );
        seen.push(...messages.map((message) => message.id));
        last = found_newest;
        anchor = String(seen.at(-1) ?? 0);
      }
      t.same(
        seen,
        said.filter(matches).map((row) => row.id),
        title,
      );
    }
  });
};
