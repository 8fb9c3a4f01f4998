/** Files of messages and their texts: threads give the same as the calling thread, and the same errors. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { productEmojiForm } from '#domain/emoji';
import { toRealmId } from '#model';
import { ExportFormatError } from '../../../src/app/exchange/format/problem.js';
import { makeMessageFileReader, makeMessageTextRenderers } from '../../../src/app/exchange/import/message-threads.js';
import { snapshotWith } from '../../support/directory.js';
import { makeExportedOrganization } from '../../support/exported-organization.js';
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
    test.equal(read.rows.length, onlyIds ? 0 : 300);
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
  test.strictSame(read.rows, [
    { id: 7, content: 'a' },
    { id: 8, content: 'b' },
  ]);
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

t.test('a thread renders the same, with the names and words of the organization', async (test) => {
  const context = {
    realm: toRealmId(1),
    directory: snapshotWith({ users: [person(12, { fullName: 'Ada' })] }),
    extraEmoji: productEmojiForm('conclave'),
    imageProxyKey: '',
    origin: 'http://team.example',
  };
  const texts = [
    { content: 'Hello @**Ada|12**, see https://a.example/b.png', sender: 12, topic: 'Tides', newerMentions: false },
    { content: 'before @**Ada**', sender: 12, topic: undefined, newerMentions: false },
    { content: `${'long text '.repeat(600)}@**Ada**`, sender: 12, topic: '', newerMentions: false },
  ];
  const [threaded, plain] = [CORES.thread, CORES.none].map((cores) => makeMessageTextRenderers(context, cores));
  test.teardown(() => Promise.all([threaded!.close(), plain!.close()]));
  const rendered = await threaded!.renderTexts(texts);
  test.strictSame(rendered, await plain!.renderTexts(texts));
  test.match(rendered[0]!.html, 'data-user-id="12"');
  test.ok(rendered[0]!.hasLink);
  test.ok(rendered[0]!.stems.includes('tide') && rendered[0]!.stems.includes('hello'));
  test.strictSame(rendered[1]!.stems, [], 'an earlier text is not searched');
  test.match(rendered[2]!.html, 'data-user-id="12"', 'a long text, which has a thread of its own');
});
