/**
 * The cost of deciding which receivers of a message get a mail: messages to two streams of 200 by turns in one server.
 * The subscribers of one have the usual settings, those of the other neither mails nor pushes.
 */
import { type Bench, defineCase } from '../case.js';
import { once, requestText } from '../connection.js';
import { type Figure, figure } from '../figures.js';
import { type Account, call } from '../prepare.js';

const SUBSCRIBERS = 200;
const CONNECTIONS = 16;
/** Number of topics. With 200 receivers each, they exceed the capacity of the memory of informed receivers. */
const TOPICS = 500;
const NOTIFIED_STREAM = 'notified';
const QUIET_STREAM = 'quiet';
const SETTINGS = [
  'enable_offline_email_notifications',
  'enable_offline_push_notifications',
  'enable_online_push_notifications',
  'enable_stream_email_notifications',
  'enable_stream_push_notifications',
];

interface Kind {
  readonly id: string;
  readonly title: string;
  content(mentioned: Account): string;
  readonly topics: number;
}

const TEXT = 'The build of **main** is green again, see the [log](https://ci.example.com/4711).';
const KINDS: readonly Kind[] = [
  { id: 'ordinary', title: 'no mention', content: () => TEXT, topics: 1 },
  { id: 'one', title: 'a mention of one', content: ({ id }) => `@**|${id}** ${TEXT}`, topics: 1 },
  { id: 'all', title: '@**all** in one topic', content: () => `@**all** ${TEXT}`, topics: 1 },
  { id: 'topics', title: `@**all** in ${TOPICS} topics`, content: () => `@**all** ${TEXT}`, topics: TOPICS },
];

async function makeSubscribers({ face }: Bench, name: string, accounts: readonly Account[]): Promise<void> {
  await call(face, face.owner, '/users/me/subscriptions', {
    subscriptions: JSON.stringify([{ name }]),
    principals: JSON.stringify(accounts.map(({ email }) => email)),
  });
}

export const missed = defineCase<Readonly<Record<string, readonly Account[]>>>({
  name: 'missed',
  about: `POST /messages with mentions to a stream with ${SUBSCRIBERS} subscribers, with and without mails`,
  faces: ['embedded'],
  server: {},
  onlyNamed: true,
  async prepare(bench) {
    const notified = await bench.accounts(SUBSCRIBERS);
    const quiet = await bench.accounts(SUBSCRIBERS);
    await makeSubscribers(bench, NOTIFIED_STREAM, notified);
    await makeSubscribers(bench, QUIET_STREAM, quiet);
    const off = new URLSearchParams(SETTINGS.map((name) => [name, 'false'])).toString();
    for (const { authorization } of quiet) {
      const { ok, text } = await once(bench.face.port, requestText('PATCH', '/api/v1/settings', authorization, off));
      if (!ok) throw new Error(text);
    }
    return { [NOTIFIED_STREAM]: notified, [QUIET_STREAM]: quiet };
  },
  async measure(bench, accounts) {
    const figures: Figure[] = [];
    for (const kind of KINDS) figures.push(await measureKind(bench, kind, accounts));
    return figures;
  },
});

async function measureKind(
  { face, load, options }: Bench,
  { id, title, content, topics }: Kind,
  accounts: Readonly<Record<string, readonly Account[]>>,
): Promise<Figure> {
  const sides = [NOTIFIED_STREAM, QUIET_STREAM].map((to) => {
    const text = content(accounts[to]![0]!);
    const requests = Array.from({ length: topics }, (_, topic) =>
      requestText(
        'POST',
        '/api/v1/messages',
        face.owner,
        new URLSearchParams({ type: 'stream', to, topic: `topic ${topic}`, content: text }).toString(),
      ),
    );
    return { requests, micros: [] as number[] };
  });
  const { port, pids } = face;
  const { warmMs, ms } = options;
  for (let i = 0; i < options.runs; i++) {
    for (const { requests, micros } of sides) {
      const job = { kind: 'rate', port, pids, requests, connections: CONNECTIONS, turns: true, warmMs, ms } as const;
      const { count, cpuMs, failed, firstFailure } = await load.run(job);
      if (failed > 0) throw new Error(`${failed} of ${count} failed: ${firstFailure}`);
      micros.push((cpuMs * 1_000) / count);
    }
  }
  const [notified, quiet] = sides;
  return figure(
    `missed/${id}/${face.name}/cpu`,
    `\`POST /messages\`, ${title}, ${SUBSCRIBERS} receivers, ${face.name}: CPU`,
    'µs each',
    notified!.micros,
    [{ name: 'the same without mails and pushes', values: quiet!.micros }],
  );
}
