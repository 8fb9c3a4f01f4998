/**
 * `GET /messages` of 100 rendered messages in an organization of 30 people with a million messages: mixed narrows, then
 * each kind of narrow.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineCase } from '../case.js';
import { requestText } from '../connection.js';
import { makeRandom } from '../fetch-fill.js';
import type { Figure } from '../figures.js';
import { type MessageHistory, openOrFillHistory, TOPICS, topicName } from '../history-fill.js';
import { measureRate } from '../measure-rate.js';
import { isSubscribed } from '../organization.js';

type Narrow = readonly { readonly operator: string; readonly operand: unknown }[];
type Random = () => number;

/** Number of prepared requests, more than one measurement sends, so that requests repeat only by chance. */
const REQUESTS = 8_000;
const MESSAGES_PER_FETCH = 100;

interface NarrowKind {
  readonly name: string;
  /** Number of narrows of this kind among ten mixed narrows. */
  readonly weight: number;
  makeNarrow(history: MessageHistory, person: number, next: Random): Narrow;
}

function streamOf({ streams }: MessageHistory, person: number, next: Random): number {
  const own = streams.filter((_, i) => isSubscribed(person, i));
  return own[Math.floor(next() * own.length)]!.id;
}

const NARROW_KINDS: readonly NarrowKind[] = [
  { name: 'everything', weight: 3, makeNarrow: () => [] },
  {
    name: 'a stream',
    weight: 3,
    makeNarrow: (history, person, next) => [{ operator: 'stream', operand: streamOf(history, person, next) }],
  },
  {
    name: 'a topic',
    weight: 3,
    makeNarrow: (history, person, next) => [
      { operator: 'stream', operand: streamOf(history, person, next) },
      { operator: 'topic', operand: topicName(Math.floor(next() * TOPICS)) },
    ],
  },
  {
    name: 'a conversation',
    weight: 1,
    makeNarrow: ({ accounts, pairs }, person, next) => {
      const own = pairs.filter((pair) => pair.includes(person));
      const [a, b] = own[Math.floor(next() * own.length)]!;
      return [{ operator: 'dm', operand: [accounts[a === person ? b : a]!.id] }];
    },
  },
];
const MIXED_NARROW_KINDS = NARROW_KINDS.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));

function requestOf(history: MessageHistory, kind: NarrowKind, newest: boolean, next: Random): string {
  const person = Math.floor(next() * history.accounts.length);
  const anchor = history.first + Math.floor(next() * (history.last - history.first));
  const query = new URLSearchParams({
    anchor: newest ? 'newest' : String(anchor),
    num_before: String(newest ? MESSAGES_PER_FETCH : MESSAGES_PER_FETCH / 2),
    num_after: String(newest ? 0 : MESSAGES_PER_FETCH / 2 - 1),
    narrow: JSON.stringify(kind.makeNarrow(history, person, next)),
    apply_markdown: 'true',
    client_gravatar: 'true',
  });
  return requestText('GET', `/api/v1/messages?${query}`, history.accounts[person]!.authorization);
}

/** Lists the requests of each measurement, with the title of the measurement. */
export function* listRequests(history: MessageHistory): Generator<readonly [title: string, texts: readonly string[]]> {
  const texts = (pick: (i: number) => NarrowKind, newest: (i: number) => boolean): string[] => {
    const next = makeRandom(4711);
    return Array.from({ length: REQUESTS }, (_, i) => requestOf(history, pick(i), newest(i), next));
  };
  // Clients open a view at its newest messages and scroll from there: three of four fetches are of the newest messages.
  yield [
    'mixed narrows, newest and anywhere',
    texts(
      (i) => MIXED_NARROW_KINDS[(i * 7) % MIXED_NARROW_KINDS.length]!,
      (i) => i % 4 !== 0,
    ),
  ];
  for (const kind of NARROW_KINDS) {
    for (const [where, newest] of [
      ['newest', true],
      ['anywhere', false],
    ] as const) {
      yield [
        `${kind.name}, ${where}`,
        texts(
          () => kind,
          () => newest,
        ),
      ];
    }
  }
}

const DIRECTORY = process.env.BENCH_HISTORY ?? join(tmpdir(), 'conclave-bench-history');
const STORED_MESSAGES = Number(process.env.BENCH_MESSAGES ?? 1_000_000);
const CONNECTIONS = 16;

export const history = defineCase<MessageHistory>({
  name: 'history',
  about: 'GET /messages of 100 from a million messages, 16 at once; the first run fills $BENCH_HISTORY in minutes',
  faces: ['embedded'],
  server: { dataDir: DIRECTORY },
  onlyNamed: true,
  async beforeServer() {
    await openOrFillHistory(DIRECTORY, STORED_MESSAGES);
  },
  prepare: () => openOrFillHistory(DIRECTORY, STORED_MESSAGES),
  async measure(bench, of) {
    const figures: Figure[] = [];
    for (const [title, texts] of listRequests(of)) {
      // The bare server answers every request with the answer to the first one.
      const id = `history/${title.replaceAll(/[, ]+/g, '-')}`;
      const target = { id, title: `\`GET /messages\`, 100 of ${title}`, requests: texts };
      figures.push(...(await measureRate(bench, { ...target, connections: CONNECTIONS, cycles: true })));
    }
    return figures;
  },
});
