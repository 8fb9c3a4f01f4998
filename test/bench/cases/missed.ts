/**
 * Cost of the decision which recipients of a message get an email. One server sends messages to two streams of 200
 * subscribers by turns: subscribers of one stream have default settings, those of the other no emails and no pushes.
 */
import { type Bench, defineCase } from '../case.js';
import { requestOnce, requestText } from '../connection.js';
import { type Figure, makeFigure } from '../figures.js';
import { type Account, call } from '../prepare.js';

const SUBSCRIBERS = 200;
const CONNECTIONS = 16;
/** Number of topics: with 200 recipients each, more than the server's list of already notified recipients can hold. */
const TOPICS = 500;
const NOTIFIED_STREAM = 'notified';
const QUIET_STREAM = 'quiet';
const NOTIFICATION_SETTINGS = [
  'enable_offline_email_notifications',
  'enable_offline_push_notifications',
  'enable_online_push_notifications',
  'enable_stream_email_notifications',
  'enable_stream_push_notifications',
];

interface MentionKind {
  readonly id: string;
  readonly title: string;
  makeContent(mentioned: Account): string;
  readonly topics: number;
}

const TEXT = 'The build of **main** is green again, see the [log](https://ci.example.com/4711).';
const MENTION_KINDS: readonly MentionKind[] = [
  { id: 'ordinary', title: 'no mention', makeContent: () => TEXT, topics: 1 },
  { id: 'one', title: 'a mention of one recipient', makeContent: ({ id }) => `@**|${id}** ${TEXT}`, topics: 1 },
  { id: 'all', title: '@**all** in one topic', makeContent: () => `@**all** ${TEXT}`, topics: 1 },
  { id: 'topics', title: `@**all** in ${TOPICS} topics`, makeContent: () => `@**all** ${TEXT}`, topics: TOPICS },
];

async function makeSubscribers({ face }: Bench, name: string, accounts: readonly Account[]): Promise<void> {
  await call(face, face.owner, '/users/me/subscriptions', {
    subscriptions: JSON.stringify([{ name }]),
    principals: JSON.stringify(accounts.map(({ email }) => email)),
  });
}

export const missed = defineCase<Readonly<Record<string, readonly Account[]>>>({
  name: 'missed',
  about: `POST /messages with mentions to a stream of ${SUBSCRIBERS}, by turns with a stream without notifications`,
  faces: ['embedded'],
  server: {},
  onlyNamed: true,
  async prepare(bench) {
    const notified = await bench.makeAccounts(SUBSCRIBERS);
    const quiet = await bench.makeAccounts(SUBSCRIBERS);
    await makeSubscribers(bench, NOTIFIED_STREAM, notified);
    await makeSubscribers(bench, QUIET_STREAM, quiet);
    const off = new URLSearchParams(NOTIFICATION_SETTINGS.map((name) => [name, 'false'])).toString();
    for (const { authorization } of quiet) {
      const { ok, text } = await requestOnce(
        bench.face.port,
        requestText('PATCH', '/api/v1/settings', authorization, off),
      );
      if (!ok) throw new Error(text);
    }
    return { [NOTIFIED_STREAM]: notified, [QUIET_STREAM]: quiet };
  },
  async measure(bench, accounts) {
    const figures: Figure[] = [];
    for (const kind of MENTION_KINDS) figures.push(await measureKind(bench, kind, accounts));
    return figures;
  },
});

async function measureKind(
  { face, generator, options }: Bench,
  { id, title, makeContent, topics }: MentionKind,
  accounts: Readonly<Record<string, readonly Account[]>>,
): Promise<Figure> {
  const streams = [NOTIFIED_STREAM, QUIET_STREAM].map((to) => {
    const text = makeContent(accounts[to]![0]!);
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
  const { warmUpMs, ms } = options;
  for (let i = 0; i < options.runs; i++) {
    for (const { requests, micros } of streams) {
      const job = { kind: 'rate', port, pids, requests, connections: CONNECTIONS, cycles: true, warmUpMs, ms } as const;
      const { count, cpuMs, failed, firstFailure } = await generator.run(job);
      if (failed > 0) throw new Error(`${failed} of ${count} failed: ${firstFailure}`);
      micros.push((cpuMs * 1_000) / count);
    }
  }
  const [notified, quiet] = streams;
  return makeFigure(
    `missed/${id}/${face.name}/cpu`,
    `\`POST /messages\`, ${title}, ${SUBSCRIBERS} recipients, ${face.name}: CPU`,
    'µs each',
    notified!.micros,
    [{ name: 'the same without mails and pushes', values: quiet!.micros }],
  );
}
