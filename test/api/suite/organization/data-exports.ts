/** Data exports (realm.md § Data export): their content, events and rights. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { unpackExportArchive } from '#app/exchange';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { refused } from '../../harness.js';
import { bad, type Refusal } from '../../support/client.js';
import { upload } from '../../support/files.js';
import type { RawAnswer } from '../../support/http.js';
import { makeOrganization, type Organization, type Person, say, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiEvent, ApiMessage, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

export interface ApiExport extends Fields {
  readonly id: number;
  readonly acting_user_id: number;
  readonly export_time: number;
  readonly export_url: string | null;
  readonly deleted_timestamp: number | null;
  readonly failed_timestamp: number | null;
  readonly pending: boolean;
}

const NOT_ADMIN: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
const NO_SUCH_EXPORT = bad('Invalid data export ID');
export const FILE_MISSING: Refusal = { status: 404, msg: '<p>File not found.</p>' };

export const exportsOf = async (by: Person): Promise<ApiExport[]> =>
  (await by.api.ok<{ exports: ApiExport[] }>('GET /export/realm')).exports;

export const watchExports = (by: Person): Promise<Queue> => Queue.register(by, { event_types: ['realm_export'] });

/** A queue that also gets messages: a message that arrives shows that no earlier event is missing. */
const watchAll = (by: Person): Promise<Queue> => Queue.register(by, { event_types: ['realm_export', 'message'] });
const noneIn = async (queue: Queue): Promise<boolean> =>
  (await settled(queue)).every(({ type }) => type !== 'realm_export');

const newest = (events: readonly ApiEvent[]): ApiExport | undefined =>
  (events.filter(({ type }) => type === 'realm_export').at(-1)?.exports as ApiExport[] | undefined)?.at(-1);

/** Starts an export and waits for its end. @returns its entry in the event that reports the end */
export async function runExport(by: Person): Promise<ApiExport> {
  const queue = await watchExports(by);
  const { id } = await by.api.ok<{ id: number }>('POST /export/realm');
  const ended = newest(await queue.until((all) => newest(all)?.pending === false))!;
  if (ended.id !== id) throw new Error(`the event is about export ${ended.id} instead of ${id}`);
  return ended;
}

export const download = (org: Organization, url: string, headers = {}): Promise<RawAnswer> =>
  org.nobody.raw({ method: 'GET', path: new URL(url).pathname, headers });

/** Tables of an archive by file and name, its raw JSON texts, and the names of all its files. */
async function readArchive(t: Test, bytes: Uint8Array) {
  const dir = mkdtempSync(join(tmpdir(), 'conclave-archive-'));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'a.tar.gz'), bytes);
  await unpackExportArchive(join(dir, 'a.tar.gz'), join(dir, 'out'));
  const files = (readdirSync(join(dir, 'out'), { recursive: true }) as string[]).sort();
  const text = (name: string): string => readFileSync(join(dir, 'out', name), 'utf8');
  const rows = (name: string, table: string): Fields[] => (JSON.parse(text(name)) as Record<string, Fields[]>)[table]!;
  return { files, text, rows };
}

export const dataExports: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, member, other } = org;
  const remove = (export_id: number, by: Person = owner) =>
    by.api.call('DELETE /export/realm/{export_id}', { export_id });
  let first: ApiExport;

  await t.test('an export has the public data only', async (t) => {
    const [ADMINS, NOBODY] = [3, 4];
    await member.api.ok('PATCH /settings', { email_address_visibility: NOBODY });
    await admin.api.ok('PATCH /settings', { email_address_visibility: ADMINS });
    await member.api.ok('POST /users/me/alert_words', { alert_words: ['marlinspike'] });
    await member.api.ok('POST /users/me/muted_users/{muted_user_id}', { muted_user_id: other.id });
    await subscribe(member, 'square', { principals: [owner, member, other] });
    await subscribe(member, 'cellar', { principals: [member, other], invite_only: true });
    const [open, closed] = [await upload(member, 'open.txt'), await upload(member, 'closed.txt')];
    const said = await say(member, 'square', 'greetings', `heard by all [x](${open})`);
    await owner.api.ok('POST /messages/{message_id}/reactions', { message_id: said, emoji_name: 'tada' });
    await say(member, 'cellar', 'whispers', `heard by few [x](${closed})`);
    await tell(member, [other], 'heard by one');
    await tell(member, [other, owner], 'heard by one');
    await member.api.ok('POST /messages/flags', { messages: [said], op: 'add', flag: 'starred' });
    const date = Math.floor(Date.now() / 1000) + 86_400;
    const later = { type: 'direct', to: [other.id], content: 'said later', scheduled_delivery_timestamp: date };
    await member.api.ok('POST /scheduled_messages', later);

    first = await runExport(owner);
    t.match(first, { acting_user_id: owner.id, pending: false, deleted_timestamp: null, failed_timestamp: null });
    t.same(await exportsOf(admin), [first], 'every administrator sees it');
    const url = String(first.export_url);
    t.match(url, new RegExp(`^http://[^/]+/user_avatars/exports/${org.realm}/[\\w-]{24}/[\\w-]+\\.tar\\.gz$`));
    const answer = await download(org, url);
    t.equal(answer.status, 200);
    t.match(answer.headers, {
      'content-type': 'application/gzip',
      'content-disposition': /^attachment; filename="conclave-export-/,
    });
    const part = await download(org, url, { range: 'bytes=0-99' });
    t.same([part.status, part.bytes.equals(answer.bytes.subarray(0, 100))], [206, true]);

    const { files, text, rows } = await readArchive(t, answer.bytes);
    const messages = rows('messages-000001.json', 'zerver_message');
    const contents = messages.map(({ content }) => String(content));
    t.ok(contents.includes(`heard by all [x](${open})`));
    t.notOk(contents.some((content) => /heard by (few|one)|said later/.test(content)));
    t.same(rows('messages-000001.json', 'zerver_usermessage'), [], 'no flags of users');
    t.match(rows('realm.json', 'zerver_reaction'), [{ message: said, user_profile: owner.id, emoji_name: 'tada' }]);
    for (const table of ['zerver_scheduledmessage', 'zerver_alertword', 'zerver_muteduser', 'zerver_huddle'])
      t.same(rows('realm.json', table), [], table);
    const users = await other.api.ok<{ members: Fields[] }>('GET /users');
    t.same(
      rows('realm.json', 'zerver_userprofile').map((row) => [row.id, row.email, row.delivery_email]),
      users.members
        .map((user) => [Number(user.user_id), user.email, user.delivery_email ?? user.email])
        .sort(([a], [b]) => Number(a) - Number(b)),
      'addresses as a member sees them',
    );
    const square = rows('realm.json', 'zerver_stream').find(({ name }) => name === 'square');
    t.same(
      rows('realm.json', 'zerver_subscription')
        .filter(({ recipient }) => recipient === square?.recipient)
        .map(({ user_profile }) => user_profile)
        .sort(),
      [owner.id, member.id, other.id].sort(),
    );
    const attached = rows('attachment.json', 'zerver_attachment');
    t.same(
      attached.map(({ file_name, messages }) => [file_name, messages]),
      [['open.txt', [said]]],
    );
    t.ok(files.some((name) => name.endsWith('/open.txt')));
    t.notOk(files.some((name) => name.endsWith('/closed.txt') || name.endsWith('.partial')));
    for (const name of files.filter((one) => one.endsWith('.json'))) {
      for (const { key } of org.people) t.notOk(text(name).includes(key), `no API key in ${name}`);
      for (const secret of [member.email, admin.email, 'marlinspike', 'cellar', 'heard by few'])
        t.notOk(text(name).includes(secret), `${secret} is not in ${name}`);
    }
  });

  await t.test('the administrator who asked gets events and a message; others get none', async (t) => {
    const [asking, beside, guest] = [await watchExports(admin), await watchAll(owner), await watchAll(org.guest)];
    const inbox = await Queue.register(admin, { event_types: ['message'], apply_markdown: false });
    const { id } = await admin.api.ok<{ id: number }>('POST /export/realm');
    t.equal(id, first.id + 1);
    const [started, ended] = (await asking.take(2)).map((event) => event.exports as ApiExport[]);
    t.same(started!.slice(0, -1), [first], 'the event has the whole list');
    t.match(started!.at(-1), { id, acting_user_id: admin.id, pending: true, export_url: null, failed_timestamp: null });
    t.match(ended!.at(-1), { id, pending: false, export_url: String, failed_timestamp: null });
    t.same(await exportsOf(owner), ended);
    const [event] = await inbox.take(1);
    const { content, sender_email } = event!.message as ApiMessage & { sender_email: string };
    t.equal(content, `Your data export is complete and has been uploaded here:\n\n${ended!.at(-1)!.export_url}`);
    t.match(sender_email, /^notification-bot@/);
    t.ok((await noneIn(beside)) && (await noneIn(guest)));
  });

  await t.test('snapshot and events agree', async (t) => {
    await verifyAction(t, 'an export', [owner, admin, member], () => owner.api.call('POST /export/realm'));
    const queue = await watchExports(owner);
    if ((await exportsOf(owner)).at(-1)!.pending) await queue.take(1);
  });

  await t.test('a deleted export stays in the list, and its archive is gone', async (t) => {
    const url = String(first.export_url);
    const [deleting, asking] = [await watchExports(admin), await watchAll(owner)];
    t.equal((await remove(first.id, admin)).status, 200);
    const gone = (await exportsOf(owner))[0]!;
    t.same({ ...gone, deleted_timestamp: null }, { ...first, export_url: null });
    t.ok(Math.abs(Number(gone.deleted_timestamp) - Date.now() / 1000) < 3_600);
    t.same(((await deleting.take(1))[0]!.exports as ApiExport[])[0], gone);
    t.ok(await noneIn(asking), 'only the administrator who deletes gets the event');
    const { status, text } = await download(org, url);
    t.same([status, text], [404, FILE_MISSING.msg]);
    await refused(t, remove(first.id), bad('Export already deleted'));
    await verifyAction(t, 'a deletion', [owner, admin, member], () => remove(first.id + 1));
  });

  await t.test('exports are for administrators of the organization only', async (t) => {
    for (const person of org.people.filter(({ role }) => !['owner', 'admin'].includes(role))) {
      await refused(t, person.api.call('GET /export/realm'), NOT_ADMIN, person.role);
      await refused(t, person.api.call('POST /export/realm'), NOT_ADMIN, person.role);
      await refused(t, remove(first.id, person), NOT_ADMIN, person.role);
    }
    for (const operation of ['GET /export/realm', 'POST /export/realm']) {
      t.equal((await org.nobody.call(operation)).status, 401, operation);
    }
    t.equal((await org.nobody.call('DELETE /export/realm/{export_id}', { export_id: first.id })).status, 401);
    t.same(await exportsOf(elsewhere.owner), []);
    await refused(t, remove(first.id, elsewhere.owner), NO_SUCH_EXPORT);
    await refused(t, remove(99), NO_SUCH_EXPORT);
    const last = (await exportsOf(owner)).at(-1)!;
    const url = String(last.export_url ?? (await runExport(owner)).export_url);
    t.equal((await download(org, url)).status, 200);
    const moved = url.replace(`/exports/${org.realm}/`, `/exports/${elsewhere.realm}/`);
    t.equal((await download(elsewhere, moved)).status, 404, 'of another organization');
    for (const path of ['', '..%2F..%2Fuploads', '%00']) {
      t.equal((await download(org, url.replace(/[^/]+\/[^/]+$/, `${path}/x.tar.gz`))).status, 404, path);
    }
    t.equal(
      (
        await download(
          org,
          url.replace(/.(?=\/[^/]+$)/, (char) => (char === 'x' ? 'y' : 'x')),
        )
      ).status,
      404,
    );
    t.equal((await owner.api.raw({ method: 'DELETE', path: '/api/v1/export/realm/abc' })).status, 404);
  });

  await t.test('an organization has five exports in a week', async (t) => {
    const wanted = 5 - (await exportsOf(owner)).length;
    for (let i = 0; i < wanted; i++) t.equal((await runExport(i % 2 ? admin : owner)).failed_timestamp, null);
    for (const by of [owner, admin]) await refused(t, by.api.call('POST /export/realm'), bad('Exceeded rate limit.'));
    t.equal((await exportsOf(owner)).length, 5);
    t.notOk(
      (await exportsOf(owner)).some(({ failed_timestamp }) => failed_timestamp),
      'the refusals changed nothing',
    );
  });

  await t.test('exports survive a restart', async (t) => {
    const before = await exportsOf(owner);
    await server.restart();
    const ports = /:\d+\//;
    const plain = (all: readonly ApiExport[]) =>
      all.map((one) => ({ ...one, export_url: one.export_url?.replace(ports, '/') ?? null }));
    t.same(plain(await exportsOf(owner)), plain(before));
    const url = before.find(({ export_url }) => export_url !== null)?.export_url;
    t.equal((await download(org, String(url))).status, 200);
  });

  await t.test('an organization with many messages or files is exported by hand', async (t) => {
    const large = await makeOrganization(server, ['admin']);
    const actor = realmActorKey(large.realm);
    // Ids of messages that were sent to no public stream, or deleted since.
    for (let i = 0; i < 3; i++) await server.actors.sendForReply(actor, realmActorCommands.takeIds, { count: 100_000 });
    t.match(await runExport(large.owner), { failed_timestamp: null, export_url: String });
    const grow = (bytes: number) =>
      server.actors.sendForReply(actor, realmActorCommands.filesChanged, {
        owner: large.owner.id,
        changes: [{ op: 'update', attachment: { id: 1 }, bytes }],
        erase: [],
      });
    await grow(10 * 2 ** 30);
    t.match(await runExport(large.admin), { failed_timestamp: null, export_url: String });
    await grow(1);
    await refused(
      t,
      large.owner.api.call('POST /export/realm'),
      bad('Please request a manual export from admin@localhost.'),
    );
    t.equal((await exportsOf(large.owner)).length, 2);
  });
};
