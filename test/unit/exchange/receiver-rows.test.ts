/** Rows of receivers in an export: a thread writes the same as the calling thread, and its failure is reported. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { AscendingIdSetEncoder, type Json } from '#base';
import { makeMarkedMessageIdsPart, type StoredMessage } from '#domain/messages';
import { toUserId } from '#model';
import {
  type MessagesForReceivers,
  MessagesForReceiversBuilder,
} from '../../../src/app/exchange/export/receiver-rows.js';
import { makeReceiverRows, type ReceiverRows } from '../../../src/app/exchange/export/receiver-threads.js';

const CORES = { thread: 2, none: 1 };
const STREAM = 4;
/** More users than those whose flags are sent to the thread in one job. */
const PEOPLE = 120;

function message(id: number, more: Partial<StoredMessage['body']> = {}, participants: number[] = []): StoredMessage {
  const body: StoredMessage['body'] = {
    content: 'text',
    html: '<p>text</p>',
    topic: 'Tides',
    sent: 5,
    client: 'test',
    recipient: 3,
    stream: STREAM,
    rev: 1,
    flags: {},
    wildcard: false,
    topicLinks: [],
    has: { link: false, image: false },
    ...more,
  };
  return { id, sender: 1, participants, originStream: participants.length > 0 ? 0 : STREAM, body };
}

function forReceivers(...messages: StoredMessage[]): MessagesForReceivers {
  const builder = new MessagesForReceiversBuilder();
  for (const one of messages) builder.add(one);
  return builder.take();
}

async function addFacts(rows: ReceiverRows): Promise<void> {
  const stays = (from: number) => ({ stays: [{ from, to: 0, after: from, until: 0 }] });
  rows.addStream(STREAM, new Map(Array.from({ length: PEOPLE }, (_, i) => [i + 1, stays(i % 3)])));
  for (let user = 1; user <= PEOPLE; user++) {
    const starred = new AscendingIdSetEncoder();
    starred.addId(2);
    const parts = user === 7 ? makeMarkedMessageIdsPart('starred', starred.encode()) : {};
    await rows.addUser(toUserId(user), new Map<string, Json>(Object.entries({ ...parts, 'sub/4': { stream: 4 } })));
  }
}

t.test('a thread completes files as the calling thread does', async (test) => {
  const folder = test.testdir();
  const files: string[][] = [];
  for (const [name, cores] of Object.entries(CORES)) {
    const rows = makeReceiverRows(true, () => undefined, cores);
    await addFacts(rows);
    const paths = [1, 2, 3, 4, 5].map((file) => join(folder, `${name}-${file}.json`));
    for (const [i, path] of paths.entries()) {
      writeFileSync(path, '{\n');
      const id = 2 * i + 1;
      const first = message(id, { flags: { 3: ['mentioned'] } });
      const second = message(id + 1, { wildcard: i === 1 }, i === 2 ? [5, 9] : []);
      await rows.appendToFile(path, forReceivers(first, second));
    }
    await rows.finish();
    await rows.close();
    files.push(paths.map((path) => readFileSync(path, 'utf8')));
  }
  test.strictSame(files[0], files[1]);
  const tables = files[0]!.map((text) => JSON.parse(text) as { zerver_usermessage: Record<string, number>[] });
  const [first, , third] = tables.map((file) => file.zerver_usermessage);
  const rowOf = (user: number, id: number) => first!.find((row) => row.user_profile === user && row.message === id);
  test.strictSame([rowOf(2, 1), rowOf(2, 2)?.flags_mask], [undefined, 0], 'a stay decides about copies');
  test.equal(rowOf(1, 1)?.flags_mask, 0);
  test.equal(rowOf(7, 2)?.flags_mask, 2, 'starred');
  test.strictSame(
    third!.filter((row) => row.message === 6).map((row) => [row.user_profile, row.flags_mask]),
    [
      [5, 2048],
      [9, 2048],
    ],
    'a direct message has its participants',
  );
});

t.test('a file that cannot be completed fails the export', async (test) => {
  for (const cores of Object.values(CORES)) {
    const rows = makeReceiverRows(true, () => undefined, cores);
    await addFacts(rows);
    const writing = async (): Promise<void> => {
      await rows.appendToFile(join(test.testdir(), 'missing', 'file.json'), forReceivers(message(1)));
      await rows.finish();
    };
    await test.rejects(writing(), { message: /ENOENT/ });
    await rows.close();
  }
});
