/** Organizations with a quota (errors.md: REALM_UPLOAD_QUOTA; embedded face only). */
import type { Test } from 'tap';
import { refused } from '../../harness.js';
import type { Client } from '../../support/client.js';
import { startEmbedded } from '../../support/faces.js';
import { attachmentsOf, upload } from '../../support/files.js';
import { atLevel } from '../../support/levels.js';
import { makeOrganization, type Person, tell } from '../../support/organization.js';
import { picture } from '../../support/pictures.js';

const MIB = 1_048_576;
const OVER = { code: 'REALM_UPLOAD_QUOTA', msg: "Upload would exceed your organization's upload quota." };

export async function fileQuota(t: Test): Promise<void> {
  const server = await startEmbedded({ uploadQuotaMib: 2 });
  t.teardown(() => server.close());
  const { owner, member } = await makeOrganization(server, ['member']);
  const elsewhere = await makeOrganization(server, []);
  const put = (by: Person, size: number): ReturnType<Client['upload']> =>
    by.api.upload('POST /user_uploads', [{ name: 'x', bytes: Buffer.alloc(size) }]);
  const used = async (): Promise<number> => (await attachmentsOf(owner)).upload_space_used;
  const clear = async (): Promise<void> => {
    for (const by of [owner, member]) {
      for (const { id } of (await attachmentsOf(by)).attachments) {
        await by.api.ok('DELETE /attachments/{attachment_id}', { attachment_id: id });
      }
    }
  };

  await t.test('the files of all users together may fill the quota to the last byte', async (t) => {
    t.equal((await put(owner, MIB)).status, 200);
    await refused(t, put(member, MIB + 1), OVER);
    t.equal((await put(member, MIB)).status, 200);
    for (const by of [owner, member]) await refused(t, put(by, 1), OVER, by.role);
    t.equal((await put(member, 0)).status, 200, 'what takes nothing has room');
    t.equal(await used(), 2 * MIB);
    t.equal((await put(elsewhere.owner, MIB)).status, 200, 'of another organization');
  });

  await t.test('a refused upload leaves no file', async (t) => {
    t.equal((await attachmentsOf(member)).attachments.length, 2);
    t.equal((await attachmentsOf(owner)).attachments.length, 1);
  });

  await t.test('a deleted file frees its space, also a file that is deleted with its message', async (t) => {
    await clear();
    t.equal(await used(), 0);
    const uri = await upload(owner, 'large', 'x'.repeat(2 * MIB));
    const message_id = await tell(owner, [member], `[x](${uri})`);
    await refused(t, put(member, 1), OVER);
    await owner.api.ok('DELETE /messages/{message_id}', { message_id });
    t.equal((await put(member, 1)).status, 200);
    await clear();
  });

  await t.test('concurrent uploads cannot exceed the quota together', async (t) => {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => put(i % 2 ? owner : member, MIB / 4)));
    t.equal(answers.filter(({ status }) => status === 200).length, 8);
    t.equal(await used(), 2 * MIB);
    await server.restart();
    await refused(t, put(owner, 1), OVER, 'also after a restart');
  });

  await t.test("avatars and emoji don't count towards the quota; newer clients get the quota in MiB", async (t) => {
    const png = { name: 'a.png', bytes: await picture('red') };
    t.equal((await member.api.upload('POST /users/me/avatar', [png])).status, 200);
    t.equal(
      (await member.api.upload('POST /realm/emoji/{emoji_name}', [png], { emoji_name: 'quota_mark' })).status,
      200,
    );
    const quotaOf = async (by: Person) =>
      (await by.api.ok('POST /register', { fetch_event_types: ['realm'] })).realm_upload_quota_mib;
    t.equal(await quotaOf(owner), 2 * MIB, 'in bytes, despite the name');
    t.equal(await quotaOf(atLevel(owner)), 2);
  });
}
