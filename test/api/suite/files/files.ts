/**
 * POST /user_uploads, GET and DELETE /attachments, and the effects of messages on files (realm.md § Uploads and
 * attachments).
 */

import { refused } from '../../harness.js';
import { bad } from '../../support/client.js';
import { type ApiAttachment, attachmentsOf, look, NOT_FOUND, page, upload } from '../../support/files.js';
import { makeOrganization, type Person, say, streamIdOf, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiEvent } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const MIB = 1_048_576;

export const files: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, member, other, guest } = org;
  await subscribe(owner, 'hall', { principals: [owner, member, guest] });
  const listen = (by: Person) => Queue.register(by, { event_types: ['attachment', 'message'] });
  const attachmentEvents = async (queue: Queue): Promise<ApiEvent[]> =>
    (await settled(queue)).filter((event) => event.type === 'attachment');

  await t.test('every role uploads a file and gets its address, its record and its event', async (t) => {
    for (const person of org.people) {
      const queue = await listen(person);
      const before = await attachmentsOf(person);
      const uri = await upload(person, 'hello world.txt', 'hello file');
      t.match(uri, new RegExp(`^/user_uploads/${org.realm}/[0-9a-f]{1,2}/[0-9A-Za-z_-]{24}/hello-world\\.txt$`));
      const { attachments, upload_space_used } = await attachmentsOf(person);
      t.equal(upload_space_used, before.upload_space_used + 10);
      const [made, ...more] = attachments;
      t.same(more, [], 'only own files are listed');
      t.match(made, { name: 'hello world.txt', path_id: uri.slice(14), size: 10, messages: [] });
      t.equal(Number(made!.create_time) % 1_000, 0, 'whole seconds, in milliseconds');
      t.ok(Math.abs(Number(made!.create_time) - server.clock.now()) < 600_000);
      const [event] = await attachmentEvents(queue);
      t.same(event, { id: event!.id, type: 'attachment', op: 'add', attachment: made, upload_space_used });
    }
  });

  await t.test(
    "file numbers are of the whole organization, and each organization's space is counted for itself",
    async (t) => {
      await upload(elsewhere.owner, 'x', '12345');
      t.equal((await attachmentsOf(elsewhere.owner)).upload_space_used, 5);
      const ids = (await Promise.all(org.people.map(attachmentsOf))).flatMap((of) =>
        of.attachments.map((one) => one.id),
      );
      t.equal(new Set(ids).size, ids.length);
    },
  );

  await t.test('an upload has exactly one file, in any field', async (t) => {
    const send = (parts: Parameters<typeof member.api.upload>[1]) => member.api.upload('POST /user_uploads', parts);
    await refused(t, member.api.call('POST /user_uploads'), bad('You must specify a file to upload'));
    await refused(t, send([]), bad('You must specify a file to upload'), 'a form without parts');
    await refused(
      t,
      send([
        { field: 'a', name: 'a.txt', bytes: '1' },
        { field: 'b', name: 'b.txt', bytes: '2' },
      ]),
      bad('You may only upload one file at a time'),
    );
    t.equal((await send([{ field: 'whatever', name: 'a.txt', bytes: '' }])).status, 200, 'it may be empty');
    const nobody = org.nobody.upload('POST /user_uploads', [{ name: 'a', bytes: '1' }]);
    await refused(t, nobody, { status: 401, msg: 'Not logged in: API authentication or user session required' });
  });

  await t.test('a file may have 25 MiB, and not one byte more', async (t) => {
    const tooLarge = bad('Uploaded file is larger than the allowed limit of 25 MiB');
    const large = Buffer.alloc(25 * MIB, 7);
    const uri = await upload(other, 'large', large, 'application/octet-stream');
    const { bytes } = await look(other, uri);
    t.equal(bytes.length, large.length);
    t.ok(bytes.equals(large));
    for (const size of [25 * MIB + 1, 26 * MIB]) {
      await refused(t, other.api.upload('POST /user_uploads', [{ name: 'x', bytes: Buffer.alloc(size) }]), tooLarge);
    }
    const [{ id } = { id: 0 }, ...more] = (await attachmentsOf(other)).attachments.filter(
      (one) => one.name === 'large',
    );
    t.same(more, []);
    await other.api.ok('DELETE /attachments/{attachment_id}', { attachment_id: id });
    t.equal((await other.api.ok('POST /register', { fetch_event_types: ['realm'] })).max_file_upload_size_mib, 25);
  });

  await t.test('names of all kinds end up harmless in the address, and nearly as given in the list', async (t) => {
    const given: [string, string, RegExp][] = [
      ['zażółć/../x.txt', 'x.txt', /\/x\.txt$/],
      ['..', 'uploaded-file', /\/uploaded-file$/],
      ['a  b - c.PNG', 'a  b - c.PNG', /\/a-b-c\.PNG$/],
      ['%2e%2e%2fetc%2fpasswd', '../etc/passwd', /\/\.\.etcpasswd$/],
      ["<script>'&;:*?|$`.html", "<script>'&;:*?|$`.html", /\/script\.html$/],
      ['ﬁle①.txt', 'ﬁle①.txt', /\/file1\.txt$/],
      ['ж\u{1f600}.png', 'ж\u{1f600}.png', /\/ж\.png$/],
      [`${'x'.repeat(500)}.jpeg`, `${'x'.repeat(195)}.jpeg`, /\/x{195}\.jpeg$/],
      ['%zz%.txt', '%zz%.txt', /\/zz\.txt$/],
    ];
    for (const [name, shown, address] of given) {
      const uri = await upload(guest, name, `in ${name}`);
      t.match(uri, address, name);
      const path = encodeURI(uri);
      t.equal((await look(guest, path)).text, `in ${name}`);
      t.equal((await attachmentsOf(guest)).attachments.at(-1)!.name, shown);
    }
  });

  await t.test('a user deletes own files by number; any other number is an invalid attachment', async (t) => {
    const uri = await upload(member, 'mine.txt');
    const { attachments, upload_space_used } = await attachmentsOf(member);
    const mine = attachments.at(-1) as ApiAttachment;
    const remove = (by: Person, attachment_id: unknown) =>
      by.api.call('DELETE /attachments/{attachment_id}', { attachment_id });
    const invalid = bad('Invalid attachment');
    for (const by of org.people.filter((person) => person !== member)) await refused(t, remove(by, mine.id), invalid);
    await refused(t, remove(elsewhere.owner, mine.id), invalid, 'of another organization');
    for (const id of ['x', '0', '-1', '1e3', '99999999999999999999', 'a/b', '\0', `${mine.id} `, '½']) {
      await refused(t, remove(member, id), invalid, id);
    }
    const nobody = org.nobody.call('DELETE /attachments/{attachment_id}', { attachment_id: mine.id });
    await refused(t, nobody, { status: 401, msg: 'Not logged in: API authentication or user session required' });
    const queue = await listen(member);
    t.equal((await remove(member, mine.id)).status, 200);
    const used = upload_space_used - Number(mine.size);
    const [event] = await attachmentEvents(queue);
    const gone = { type: 'attachment', op: 'remove', attachment: { id: mine.id }, upload_space_used: used };
    t.same(event, { id: event!.id, ...gone });
    const after = await attachmentsOf(member);
    t.equal(after.upload_space_used, used);
    t.notOk(after.attachments.some((one) => one.id === mine.id));
    t.same(page(await look(member, uri)), NOT_FOUND);
    await refused(t, remove(member, mine.id), invalid, 'again');
  });

  await t.test(
    "a message that links a file claims it, and the file's owner gets the event before the sender's reply",
    async (t) => {
      const uri = await upload(member, 'claimed.txt');
      const queue = await listen(member);
      const id = await say(member, 'hall', 'files', `[look](${uri}) and again ${uri}`);
      const direct = await tell(member, [other], `[look](${uri})`);
      const updates = await attachmentEvents(queue);
      t.same(
        updates.map(({ op, attachment }) => [op, (attachment as ApiAttachment).messages.map((one) => one.id)]),
        [
          ['update', [id]],
          ['update', [id, direct]],
        ],
      );
      const { attachments } = await attachmentsOf(member);
      const claimed = attachments.at(-1)!;
      t.same(claimed, updates[1]!.attachment);
      t.ok(
        claimed.messages.every((one) => one.date_sent % 1_000 === 0 && one.date_sent > 1e12),
        'milliseconds',
      );
    },
  );

  await t.test("a link to a file that the sender cannot see, or that doesn't exist, is only a link", async (t) => {
    const secret = await upload(owner, 'secret.txt');
    const foreign = await upload(elsewhere.owner, 'foreign.txt');
    const queue = await listen(owner);
    const dead = [
      secret.replace('secret.txt', 'other.txt'),
      secret.replace(/.\/secret/, '0/secret'),
      `/user_uploads/${org.realm}/a/000000aaaaaaaaaaaaaaaaaa/x`,
      `/user_uploads/${org.realm}/a/zzzzzzaaaaaaaaaaaaaaaaaa/x`,
      `/user_uploads/${org.realm}/nonsense`,
    ];
    const id = await say(
      member,
      'hall',
      'only links',
      [secret, foreign, ...dead].map((uri) => `[x](${uri})`).join(' '),
    );
    t.same(await attachmentEvents(queue), []);
    t.same((await attachmentsOf(owner)).attachments.at(-1)!.messages, []);
    t.same((await attachmentsOf(elsewhere.owner)).attachments.at(-1)!.messages, []);
    t.equal((await look(member, secret)).status, 403, 'linking it gives no right to it');
    const { message } = await member.api.ok<{ message: { content: string } }>('GET /messages/{message_id}', {
      message_id: id,
    });
    t.match(message.content, secret);
  });

  await t.test('a user who may see a file may link it again, and its owner gets an event', async (t) => {
    const uri = await upload(member, 'passed.txt');
    const queue = await listen(member);
    const first = await tell(member, [other], `[x](${uri})`);
    const second = await tell(other, [guest], `[x](${uri})`);
    const events = await attachmentEvents(queue);
    t.same(
      (events.at(-1)!.attachment as ApiAttachment).messages.map((one) => one.id),
      [first, second],
    );
    t.equal((await look(guest, uri)).text, 'content of passed.txt');
    t.equal((await look(owner, uri)).status, 403);
  });

  await t.test('an edit adds or removes a link; the file stays', async (t) => {
    const [one, two] = [await upload(member, 'one.txt'), await upload(member, 'two.txt')];
    const id = await tell(member, [other], `[x](${one})`);
    const linking = async () =>
      (await attachmentsOf(member)).attachments.slice(-2).map((of) => of.messages.map((m) => m.id));
    const edit = (content: string, by = member) =>
      by.api.ok('PATCH /messages/{message_id}', { message_id: id, content });
    const queue = await listen(member);
    await edit(`[x](${one}) [y](${two})`);
    t.same(await linking(), [[id], [id]]);
    await edit(`[y](${two})`);
    t.same(await linking(), [[], [id]]);
    t.equal((await look(other, one)).status, 403, 'who saw it through the message sees it no more');
    t.equal((await look(member, one)).status, 200);
    await edit('nothing');
    await edit(`[x](${one})`);
    t.same(await linking(), [[id], []]);
    const updates = (await attachmentEvents(queue)).map(({ op, attachment }) => {
      const { name, messages } = attachment as ApiAttachment;
      return [op, name, messages.map((message) => message.id)];
    });
    t.same(updates, [
      ['update', 'two.txt', [id]],
      ['update', 'one.txt', []],
      ['update', 'two.txt', []],
      ['update', 'one.txt', [id]],
    ]);
  });

  await t.test('deleting the last message that links a file deletes the file', async (t) => {
    const uri = await upload(member, 'linked twice.txt');
    const first = await tell(member, [owner, other], `[x](${uri})`);
    const second = await say(member, 'hall', 'files', `[x](${uri})`);
    const linking = async () => (await attachmentsOf(member)).attachments.at(-1)!.messages.map((message) => message.id);
    const remove = (message_id: number) => owner.api.ok('DELETE /messages/{message_id}', { message_id });
    const { id } = (await attachmentsOf(member)).attachments.at(-1)!;
    const queue = await listen(member);
    await remove(second);
    t.same(await linking(), [first]);
    t.same(page(await look(other, uri)), [200, 'content of linked twice.txt']);
    await remove(first);
    t.notOk((await attachmentsOf(member)).attachments.some((one) => one.id === id));
    t.same(page(await look(member, uri)), NOT_FOUND);
    const [update, event, ...more] = await attachmentEvents(queue);
    t.equal(update!.op, 'update', 'the list of messages became shorter');
    t.same(
      (update!.attachment as ApiAttachment).messages.map((message) => message.id),
      [first],
    );
    t.same([event!.op, event!.attachment, more], ['remove', { id }, []]);
    t.equal(event!.upload_space_used, (await attachmentsOf(member)).upload_space_used);
  });

  await t.test('deleting a topic deletes the files linked only there', async (t) => {
    const uri = await upload(member, 'of a topic.txt');
    for (let i = 0; i < 3; i++) await say(member, 'hall', 'short-lived', `${i}: [x](${uri})`);
    t.equal((await attachmentsOf(member)).attachments.at(-1)!.messages.length, 3);
    await owner.api.ok('POST /streams/{stream_id}/delete_topic', {
      stream_id: await streamIdOf(owner, 'hall'),
      topic_name: 'short-lived',
    });
    t.notOk((await attachmentsOf(member)).attachments.some((one) => one.name === 'of a topic.txt'));
  });

  await t.test(
    'a file that very many messages link lists the newest 100, and stays as long as one links it',
    async (t) => {
      const uri = await upload(member, 'status.txt');
      const first = await tell(member, [owner], `[x](${uri})`);
      const queue = await listen(member);
      const ids: number[] = [];
      for (let i = 0; i < 101; i++) ids.push(await say(member, 'hall', 'status', `${i}: [x](${uri})`));
      const listed = async () => (await attachmentsOf(member)).attachments.at(-1)!.messages.map(({ id }) => id);
      t.same(await listed(), ids.slice(1));
      const told = (await attachmentEvents(queue)).at(-1)!.attachment as ApiAttachment;
      t.same(
        told.messages.map(({ id }) => id),
        ids.slice(1),
      );
      await owner.api.ok('DELETE /messages/{message_id}', { message_id: ids.at(-1)! });
      t.same(await listed(), ids.slice(0, -1), 'an older message takes the place of a deleted one');
      const stream_id = await streamIdOf(owner, 'hall');
      await owner.api.ok('POST /streams/{stream_id}/delete_topic', { stream_id, topic_name: 'status' });
      t.same(await listed(), [first]);
      t.equal((await look(owner, uri)).status, 200);
      await owner.api.ok('DELETE /messages/{message_id}', { message_id: first });
      t.same(page(await look(member, uri)), NOT_FOUND);
    },
  );

  await t.test('a file that a scheduled message links stays when its last message is deleted', async (t) => {
    const uri = await upload(member, 'scheduled.txt');
    const stream_id = await streamIdOf(owner, 'hall');
    const { scheduled_message_id } = await member.api.ok('POST /scheduled_messages', {
      type: 'stream',
      to: stream_id,
      topic: 'later',
      content: `[x](${uri})`,
      scheduled_delivery_timestamp: Math.floor(server.clock.now() / 1000) + 3_600,
    });
    const deletions: ((message_id: number) => Promise<unknown>)[] = [
      (message_id) => owner.api.ok('DELETE /messages/{message_id}', { message_id }),
      () => owner.api.ok('POST /streams/{stream_id}/delete_topic', { stream_id, topic_name: 'last' }),
    ];
    for (const remove of deletions) {
      await remove(await say(member, 'hall', 'last', `[x](${uri})`));
      t.match((await attachmentsOf(member)).attachments.at(-1), { name: 'scheduled.txt', messages: [] });
      t.same(page(await look(member, uri)), [200, 'content of scheduled.txt']);
    }
    await member.api.ok('DELETE /scheduled_messages/{scheduled_message_id}', { scheduled_message_id });
    await deletions[0]!(await say(member, 'hall', 'last', `[x](${uri})`));
    t.same(page(await look(member, uri)), NOT_FOUND);
  });

  await t.test("a file goes with its last message, even if another user's scheduled message links it", async (t) => {
    const uri = await upload(member, 'quoted.txt');
    const content = `[x](${uri})`;
    const message_id = await say(member, 'hall', 'last', content);
    t.equal((await look(other, uri)).status, 200);
    const { scheduled_message_id } = await other.api.ok('POST /scheduled_messages', {
      type: 'stream',
      to: await streamIdOf(owner, 'hall'),
      topic: 'later',
      content,
      scheduled_delivery_timestamp: Math.floor(server.clock.now() / 1000) + 3_600,
    });
    await owner.api.ok('DELETE /messages/{message_id}', { message_id });
    for (const person of [member, other]) t.same(page(await look(person, uri)), NOT_FOUND);
    await other.api.ok('DELETE /scheduled_messages/{scheduled_message_id}', { scheduled_message_id });
  });

  await t.test('many uploads at once are all counted', async (t) => {
    const before = (await attachmentsOf(owner)).upload_space_used;
    await Promise.all(Array.from({ length: 12 }, (_, i) => upload(org.people[i % 6]!, `${i}`, 'x'.repeat(i))));
    t.equal((await attachmentsOf(owner)).upload_space_used, before + 66);
  });

  const verify = (title: string, action: () => Promise<unknown>) =>
    t.test(title, (t) => verifyAction(t, title, org.people, action));
  await verify('a file is uploaded, linked and deleted', async () => {
    const uri = await upload(member, 'followed.txt');
    await say(member, 'hall', 'files', `[x](${uri})`);
    const { id } = (await attachmentsOf(member)).attachments.at(-1)!;
    await member.api.ok('DELETE /attachments/{attachment_id}', { attachment_id: id });
  });
};
