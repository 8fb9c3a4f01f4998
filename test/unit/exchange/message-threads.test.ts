/** Files of messages, and messages to store: threads do the same as the calling thread, with the same errors. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ThreadJobFailedError, ThreadPool } from '#base/threads';
import { productEmojiForm } from '#domain/emoji';
import { type MessageBody, messageIndexTags } from '#domain/messages';
import { toRealmId } from '#model';
import type { MessageRecord } from '#model/records';
import { ExportFormatError } from '../../../src/app/exchange/format/problem.js';
import { decodeMessageSlice, encodeMessageSlice } from '../../../src/app/exchange/import/message-slices.js';
import { makeMessageFileReader, startMessageWriters } from '../../../src/app/exchange/import/message-threads.js';
import type { UnrenderedMessage } from '../../../src/app/exchange/import/message-writer.js';
import type { MessageWriterJob } from '../../../src/app/exchange/import/message-writer-worker.js';
import { WaitingTimeRenderer } from '../../../src/app/exchange/import/waiting-time.js';
import { openStoreAt } from '../../../src/app/exchange/store-location.js';
import { snapshotWith } from '../../support/directory.js';
import { makeExportedOrganization } from '../../support/exported-organization.js';
import { Gate } from '../../support/gate.js';
import { messageBody } from '../../support/message-body.js';
import { person } from '../../support/person.js';

const NAME = 'messages-000001.json';
const CORES = { thread: 2, none: 1 };

t.test('a thread reads the same from a file', async (test) => {
  const folder = test.testdir();
  makeExportedOrganization(folder, { people: 20, streams: 4, messages: 300, seed: 5 });
  const [threaded, plain] = [makeMessageFileReader(CORES.thread), makeMessageFileReader(CORES.none)];
  test.teardown(() => threaded.close());
  for (const onlyIds of [true, false]) {
    const read = await threaded.readFile({ folder, name: NAME, onlyIds });
    test.strictSame(read, await plain.readFile({ folder, name: NAME, onlyIds }));
    test.equal(read.ids.length, 300);
    const rows = read.rowSlices.flatMap((slice) => JSON.parse(slice) as unknown[]);
    test.equal(rows.length, onlyIds ? 0 : 300);
  }
});

t.test('receivers come in the order of the messages, wherever their rows are', async (test) => {
  const folder = test.testdir();
  const row = (message: number, user_profile: number, flags_mask: unknown) => ({ message, user_profile, flags_mask });
  writeFileSync(
    join(folder, NAME),
    JSON.stringify({
      zerver_usermessage: [row(7, 1, 1), row(9, 2, 2), row(7, 3, 3), row(8, 4, 4)],
      zerver_message: [
        { id: 7, content: 'a', rendered_content: '<p>a</p>' },
        { id: 8, content: 'b' },
      ],
      other: [{ id: 1 }],
    }),
  );
  const read = await makeMessageFileReader(CORES.none).readFile({ folder, name: NAME, onlyIds: false });
  test.strictSame([...read.receivers], [1, 1, 3, 3, 4, 4, 2, 2], 'those without a message last');
  test.strictSame([...read.receiverCounts], [2, 1]);
  const ids = await makeMessageFileReader(CORES.none).readFile({ folder, name: NAME, onlyIds: true });
  test.strictSame([...ids.ids], [7, 8]);
  test.strictSame(
    read.rowSlices.map((slice) => JSON.parse(slice) as unknown),
    [
      [
        { id: 7, content: 'a' },
        { id: 8, content: 'b' },
      ],
    ],
  );
});

t.test('only messages with a mention or a link by name come with their HTML', async (test) => {
  const folder = test.testdir();
  const texts = ['a', '*a* **b**', '@**Ada** hi', '@_**Ada|5** hi', '@*crew* hi', '#**square>tides** hi'];
  const zerver_message = texts.map((content, id) => ({ id, content, rendered_content: `<p>${content}</p>` }));
  writeFileSync(join(folder, NAME), JSON.stringify({ zerver_message }));
  const read = await makeMessageFileReader(CORES.none).readFile({ folder, name: NAME, onlyIds: false });
  const rows = read.rowSlices.flatMap((slice) => JSON.parse(slice) as { readonly rendered_content?: string }[]);
  test.strictSame(
    rows.map(({ rendered_content }) => rendered_content !== undefined),
    [false, false, true, true, true, true],
  );
});

t.test('a damaged file gives the same error in a thread', async (test) => {
  const folder = test.testdir();
  const damaged = [
    '{"zerver_message": [{"id": 1}',
    '{"zerver_message": [{"id": -1}]}',
    '{"zerver_message": {"id": 1}}',
    '[1]',
  ];
  const receiver = '{"zerver_usermessage": [{"id": 1, "message": 1, "user_profile": 2, "flags_mask": "x"}]}';
  for (const cores of Object.values(CORES)) {
    const reader = makeMessageFileReader(cores);
    const messages: string[] = [];
    for (const text of [...damaged, receiver]) {
      writeFileSync(join(folder, NAME), text);
      const error = await reader.readFile({ folder, name: NAME, onlyIds: false }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      test.ok(error instanceof ExportFormatError, text);
      messages.push(String((error as Error).message));
    }
    test.match(messages, [/truncated/, /id is -1/, /messages-000001/, /messages-000001/, /flags_mask is "x"/]);
    await reader.close();
  }
});

t.test('threads store the same messages, with the names and words of the organization', async (test) => {
  const realm = toRealmId(1);
  const rendering = {
    realm,
    directory: snapshotWith({ users: [person(12, { fullName: 'Ada' })] }),
    extraEmoji: productEmojiForm('conclave'),
    imageProxyKey: '',
    origin: 'http://team.example',
  };
  const contents = ['Hello @**Ada|12**, see https://a.example/b.png', `${'long text '.repeat(600)}@**Ada**`, 'plain'];
  const earlier = { edit: { user: 12, at: 5 }, raw: 'Walrus @**Ada**', newerMentions: false };
  const messages = contents.map((content, i) => unrendered(i + 1, content, i === 0 ? [earlier] : []));
  const stored: (MessageRecord | null)[][] = [];
  for (const cores of Object.values(CORES)) {
    const dataDir = `${test.testdir({ [`${cores}`]: {} })}/${cores}`;
    const writers = await startMessageWriters(cores).open({ ...rendering, store: { dataDir } });
    await Promise.all(messages.map((message) => writers.storeMessages({ rendered: [], unrendered: [message] })));
    await writers.beginFlush();
    await writers.endFlush();
    await writers.close();
    const { store, close } = await openStoreAt({ dataDir });
    const all = await store.getMessages(realm, [1, 2, 3]);
    const found = await store.scanMessages({
      realm,
      index: { by: 'tag', tag: messageIndexTags.word('hello') },
      from: 0,
      direction: 'newer',
      limit: 9,
    });
    test.strictSame(
      found.map(({ id }) => id),
      [1],
      'its words are indexed',
    );
    stored.push(all);
    await close();
  }
  test.strictSame(stored[0], stored[1]);
  const [first, second, third] = stored[0]!.map((record) => record!.body as MessageBody);
  test.match(first!.html, 'data-user-id="12"');
  test.strictSame(first!.has, { link: true, image: true });
  test.match(first!.edits![0]!.content!.html, 'data-user-id="12"', 'an earlier text');
  test.notOk(stored[0]![0]!.tags.includes(messageIndexTags.word('walrus')), 'an earlier text is not searched');
  test.match(second!.html, 'data-user-id="12"', 'a long text, which has a thread of its own');
  test.strictSame(third!.has, { link: false, image: false });
  test.equal(third!.edits, undefined);
});

t.test('messages that the waiting thread renders are stored as those that the writers render', async (test) => {
  const realm = toRealmId(1);
  const directory = snapshotWith({ users: [person(12, { fullName: 'Ada' })] });
  const rendering = { realm, directory, extraEmoji: productEmojiForm('conclave'), imageProxyKey: '', origin: '' };
  const earlier = { edit: { user: 12, at: 5 }, raw: 'Walrus', newerMentions: false };
  const contents = ['Hello @**Ada|12**', 'edited', 'x'.repeat(2_000), 'last'];
  const unrenderedOnes = contents.map((content, i) => unrendered(i + 1, content, i === 1 ? [earlier] : []));
  const helper = new WaitingTimeRenderer(rendering);
  test.teardown(() => helper.close());
  const all = { rendered: [], unrendered: unrenderedOnes };
  test.strictSame(await helper.renderUntilSettled(Promise.resolve(), all), all, 'nothing was waited for');
  const writing = new Gate();
  const some = await helper.renderUntilSettled(writing.opened, all);
  writing.open();
  test.strictSame(
    [some.rendered.map(({ id }) => id), some.unrendered.map(({ id }) => id)],
    [
      [1, 4],
      [2, 3],
    ],
    'long and edited texts are left to the writers',
  );
  const files = some.unrendered.map((one) => ({ ...one, body: { ...one.body, files: ['1/a/b.txt'] } }));
  const slice = { ...some, unrendered: files };
  test.strictSame(decodeMessageSlice(encodeMessageSlice(slice)), slice, 'both survive the way to a thread');
  const stored: (MessageRecord | null)[][] = [];
  for (const [name, messages] of Object.entries({ all, some })) {
    const dataDir = `${test.testdir({ [name]: {} })}/${name}`;
    const writers = await startMessageWriters(CORES.none).open({ ...rendering, store: { dataDir } });
    await writers.storeMessages(messages);
    await writers.beginFlush();
    await writers.endFlush();
    await writers.close();
    const { store, close } = await openStoreAt({ dataDir });
    stored.push(await store.getMessages(realm, [1, 2, 3, 4]));
    await close();
  }
  test.ok(stored[0]!.every((message) => message !== null));
  test.strictSame(stored[1], stored[0]);
});

t.test('a Store that cannot be opened fails the import', async (test) => {
  const dataDir = join(test.testdir({ taken: 'a file' }), 'taken');
  const context = { realm: toRealmId(1), directory: snapshotWith({}), extraEmoji: productEmojiForm('conclave') };
  const started = startMessageWriters(CORES.thread);
  const writers = await started.open({
    ...context,
    imageProxyKey: '',
    origin: 'http://team.example',
    store: { dataDir },
  });
  await test.rejects(writers.storeMessages({ rendered: [], unrendered: [unrendered(1, 'text', [])] }));
  await writers.close();
});

t.test('a thread that takes the place of a failed writer refuses messages', async (test) => {
  const script = new URL('../../../src/app/exchange/import/message-writer-worker.js', import.meta.url);
  const pool = new ThreadPool<MessageWriterJob, void>({ script, threads: 1, timeoutMs: 60_000 });
  test.teardown(() => pool.close());
  const slice = encodeMessageSlice({ rendered: [], unrendered: [unrendered(1, 'text', [])] });
  await test.rejects(pool.runJob({ slice }), ThreadJobFailedError);
  await test.rejects(pool.runJob('end-flush'), ThreadJobFailedError);
  await pool.runJob('close');
});

function unrendered(id: number, content: string, edits: UnrenderedMessage['edits']): UnrenderedMessage {
  const body = messageBody({ content, html: '' });
  const message = { id, sender: 12, participants: [], originStream: 4, body };
  return { ...message, directConversation: '', newerMentions: false, edits };
}
