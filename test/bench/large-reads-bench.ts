/**
 * CPU of reads that look at very many messages: a registration with 50,000 unread messages, the topics of a stream with
 * protected history, searches for common words (docs/performance/reading.md, "Reads of very many messages"). `node
 * dist/test/bench/large-reads-bench.js [MESSAGES]` takes half a minute, prints figures and asserts nothing.
 */
import type { ProcessPorts } from '#app/server';
import { type MessageBody, toMessageRecord } from '#domain/messages';
import { toStreamId } from '#model';
import type { MessageRecordWrite, Store } from '#ports/store';
import { startEmbedded } from '../api/support/faces.js';
import {
  makeOrganization,
  type Organization,
  type Person,
  streamIdOf,
  subscribe,
} from '../api/support/organization.js';
import { median } from './figures.js';

const UNREAD = Number(process.argv[2] ?? 50_000);
const TOPICS = 4_000;
/** Number of messages of other streams that a reader of the protected stream has starred. */
const COPIES = 20_000;
const RUNS = 5;
const AT_ONCE = 20;
const WORDS = ['gull', 'mast', 'lamp', 'tide', 'knot', 'pier', 'harbour', 'smile', 'rope', 'anchor', 'cabin', 'wave'];

/** Makes a text of 24 words, different for each number. Each word is in most of the texts. */
function textOf(n: number): string {
  let seed = n * 2_654_435_761;
  return Array.from({ length: 24 }, () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return WORDS[(seed >>> 16) % WORDS.length];
  }).join(' ');
}

/** Writes messages of a stream through the Store, without commands to actors. @returns their ids */
async function fill(store: Store, { owner, realm }: Organization, stream: number, first: number): Promise<number[]> {
  const ids = Array.from({ length: UNREAD }, (_, i) => first + i);
  for (let from = 0; from < ids.length; from += 2_000) {
    const writes = ids.slice(from, from + 2_000).map((id): MessageRecordWrite => {
      const content = textOf(id);
      const body: MessageBody = {
        content,
        html: `<p>${content}</p>`,
        topic: `Topic ${id % 40}`,
        sent: Math.floor(Date.now() / 1000) - 3_600,
        client: 'bench',
        recipient: 1,
        stream: toStreamId(stream),
        rev: 1,
        flags: { [owner.id]: ['read'] },
        wildcard: false,
        topicLinks: [],
        has: { link: false, image: false },
      };
      const record = toMessageRecord({ id, sender: owner.id, participants: [], originStream: stream, body });
      return { type: 'message', realm, id, rev: 1, value: record };
    });
    await store.applyRecords(writes);
  }
  return ids;
}

async function measure(title: string, call: () => Promise<unknown>): Promise<void> {
  const cpu: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const before = process.cpuUsage();
    await call();
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1_000);
  }
  const [first, rest] = [cpu[0]!, cpu.slice(1)];
  process.stdout.write(
    `${title} | first ${first.toFixed(0)} ms | then ${median(rest).toFixed(0)} ms [${Math.min(...rest).toFixed(0)}–${Math.max(...rest).toFixed(0)}]\n`,
  );
}

async function fillTopics({ owner, moderator, guest }: Organization): Promise<number> {
  await subscribe(owner, 'protected', {
    principals: [owner, moderator, guest],
    invite_only: true,
    history_public_to_subscribers: false,
  });
  for (let from = 0; from < TOPICS; from += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) =>
        owner.api.ok('POST /messages', { type: 'stream', to: 'protected', topic: `t${from + i}`, content: 'x' }),
      ),
    );
  return streamIdOf(owner, 'protected');
}

const search = (person: Person, operand: string, num_before = 100): Promise<unknown> =>
  person.api.ok('GET /messages', {
    anchor: 'newest',
    num_before,
    num_after: 0,
    narrow: [{ operator: 'search', operand }],
  });

let store: Store | undefined;
const server = await startEmbedded({
  adjust: (ports: ProcessPorts): ProcessPorts => {
    store ??= ports.actors?.store;
    return ports;
  },
});
const org = await makeOrganization(server, ['moderator', 'member', 'other', 'guest']);
const { owner, member, other } = org;
const protectedStream = await fillTopics(org);
await subscribe(owner, 'stream', { principals: [owner, member, other] });
const { id: last } = await owner.api.ok<{ id: number }>('POST /messages', {
  type: 'stream',
  to: 'stream',
  topic: 'Topic 0',
  content: 'the last one sent',
});
const ids = await fill(store!, org, await streamIdOf(owner, 'stream'), last + 1);
await other.api.ok('POST /mark_all_as_read');
for (let from = 0; from < ids.length; from += 5_000)
  await other.api.ok('POST /messages/flags', { messages: ids.slice(from, from + 5_000), op: 'remove', flag: 'read' });
const register = (person: Person) => () => person.api.ok('POST /register', {});
await measure(`registration, ${UNREAD} unread above the read mark`, register(member));
await measure(`registration, ${UNREAD} marked as unread one by one`, register(other));
await measure('registration, nothing unread', register(org.guest));
for (let from = 0; from < COPIES; from += 5_000)
  await org.moderator.api.ok('POST /messages/flags', {
    messages: ids.slice(from, from + 5_000),
    op: 'add',
    flag: 'starred',
  });
for (const [who, person] of [
  ['a guest', org.guest],
  ['a reader with personal copies', org.moderator],
] as const)
  await measure(`topics of a protected stream with ${TOPICS}, ${who}`, () =>
    person.api.ok('GET /users/me/{stream_id}/topics', { stream_id: protectedStream }),
  );
await measure('search for two phrases that are nowhere', () =>
  search(member, '"gull mast lamp rope" "tide knot pier wave"'),
);
await measure('search for one common phrase', () => search(member, '"gull mast"', 5_000));
await measure('search for eight common words', () => search(member, WORDS.slice(0, 8).join(' '), 5_000));
await measure('newest 5,000 of a stream', () =>
  member.api.ok('GET /messages', { anchor: 'newest', num_before: 5_000, num_after: 0, narrow: [['stream', 'stream']] }),
);
await server.close();
process.exit(0);
