/**
 * Time of marking messages as read: of a stream and of everything, with 100 and with 100,000 unread messages
 * (docs/performance/reading.md, "Marking much as read"). `node dist/test/bench/marks-bench.js [embedded|cluster …]`
 * prints figures and asserts nothing.
 */
import t from 'tap';
import type { ProcessPorts } from '#app/server';
import { type MessageBody, toMessageRecord } from '#domain/messages';
import { toStreamId } from '#model';
import type { MessageRecordWrite, Store } from '#ports/store';
import { services, startCluster, startEmbedded, type TestServer } from '../api/support/faces.js';
import {
  makeOrganization,
  type Organization,
  type Person,
  streamIdOf,
  subscribe,
} from '../api/support/organization.js';
import { Queue } from '../api/support/queue.js';

const SIZES = [100, 100_000];
const RUNS = 5;
/** Number of messages in one write. */
const WRITES_PER_BATCH = 2_000;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

/** Writes messages of a stream through the Store, without commands to actors. */
async function fill(store: Store, org: Organization, stream: number, count: number): Promise<void> {
  const body: MessageBody = {
    content: 'some words of a message',
    html: '<p>some words of a message</p>',
    topic: 'topic',
    sent: Math.floor(Date.now() / 1000) - 3_600,
    client: 'bench',
    recipient: 1,
    stream: toStreamId(stream),
    rev: 1,
    flags: {},
    wildcard: false,
    topicLinks: [],
    has: { link: false, image: false },
  };
  for (let from = 1; from <= count; from += WRITES_PER_BATCH) {
    const writes = Array.from({ length: Math.min(WRITES_PER_BATCH, count - from + 1) }, (_, i): MessageRecordWrite => {
      const record = toMessageRecord({
        id: from + i,
        sender: org.owner.id,
        participants: [],
        originStream: stream,
        body,
      });
      return { type: 'message', realm: org.realm, id: record.id, rev: 1, value: record };
    });
    await store.applyRecords(writes);
  }
}

/** Times from the start of the request, ms. */
interface MarkingTimes {
  readonly request: number;
  /** Time until another client of the user gets the event with the ids. */
  readonly delivered: number;
}

async function measureMarking(
  person: Person,
  operation: string,
  params: Record<string, unknown>,
): Promise<MarkingTimes> {
  const queue = await Queue.register(person, { event_types: ['update_message_flags'], fetch_event_types: [] });
  const begun = performance.now();
  await person.api.ok(operation, params);
  const request = performance.now() - begun;
  await queue.take(1);
  const delivered = performance.now() - begun;
  await queue.delete();
  return { request, delivered };
}

async function measure(title: string, server: TestServer, store: () => Store): Promise<void> {
  for (const [operation, inStream] of [
    ['POST /mark_all_as_read', false],
    ['POST /mark_stream_as_read', true],
  ] as const) {
    for (const size of SIZES) {
      const requests: number[] = [];
      const deliveries: number[] = [];
      for (let run = 0; run < RUNS; run++) {
        const org = await makeOrganization(server, ['member']);
        await subscribe(org.owner, 'stream', { principals: [org.member] });
        const stream = await streamIdOf(org.member, 'stream');
        await fill(store(), org, stream, size);
        const { request, delivered } = await measureMarking(
          org.member,
          operation,
          inStream ? { stream_id: stream } : {},
        );
        requests.push(request);
        deliveries.push(delivered);
      }
      const ms = (values: readonly number[]): string => `${median(values).toFixed(1)} ms`;
      process.stdout.write(
        `${title} | ${operation} | ${size} unread | request ${ms(requests)} | event delivered ${ms(deliveries)}\n`,
      );
    }
  }
}

t.setTimeout(900_000);
const wanted = process.argv.slice(2);
const faces = wanted.length === 0 ? ['embedded', 'cluster'] : wanted;
let store: Store | undefined;
const adjust = (ports: ProcessPorts): ProcessPorts => {
  store ??= ports.actors?.store;
  return ports;
};
for (const face of faces) {
  store = undefined;
  const reached = face === 'cluster' ? services(t) : undefined;
  if (face === 'cluster' && !reached) continue;
  const server = reached ? await startCluster(reached, adjust) : await startEmbedded({ adjust });
  try {
    await measure(face, server, () => store!);
  } finally {
    await server.close();
  }
}
process.exit(0);
