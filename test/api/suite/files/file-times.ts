/** Timed changes of files, with a clock that the test moves (embedded face only). */
import type { Test } from 'tap';
import { FakeClock, settle } from '../../../support/fake-clock.js';
import { until } from '../../../support/until.js';
import { refused } from '../../harness.js';
import { bad } from '../../support/client.js';
import { startEmbedded } from '../../support/faces.js';
import { attachmentsOf, look, NOT_FOUND, page, upload } from '../../support/files.js';
import { makeOrganization, tell } from '../../support/organization.js';

const DAY_MS = 86_400_000;

export async function fileTimes(t: Test): Promise<void> {
  const clock = new FakeClock(Date.now());
  const server = await startEmbedded({ clock });
  t.teardown(() => server.close());
  const { member, nobody } = await makeOrganization(server, ['member']);
  const names = async (): Promise<unknown[]> => (await attachmentsOf(member)).attachments.map(({ name }) => name);
  const pass = async (days: number): Promise<void> => {
    for (let i = 0; i < days; i++) {
      await clock.longAsync(DAY_MS);
      // Lets the actor do its due work before the next day passes.
      await names();
    }
  };

  await t.test('a temporary address is good for a minute', async (t) => {
    const uri = await upload(member, 'short.txt');
    const { body } = await member.api.raw({ method: 'GET', path: `/api/v1${uri}` });
    const open = () => nobody.raw({ method: 'GET', path: String(body.url) });
    await clock.advanceAsync(59_000);
    t.equal((await open()).status, 200);
    await clock.advanceAsync(2_000);
    await refused(t, open(), bad('Invalid token'));
  });

  await t.test(
    'an unlinked file is deleted after five weeks, with its bytes and its space; other files stay',
    async (t) => {
      const uri = await upload(member, 'unclaimed.txt');
      const kept = await upload(member, 'claimed.txt');
      await tell(member, [member], `[x](${kept})`);
      await pass(34);
      t.same(await names(), ['short.txt', 'unclaimed.txt', 'claimed.txt']);
      const late = await upload(member, 'late.txt');
      await pass(2);
      await until('it is gone', async () => (await names()).length === 2, 5_000);
      t.same(await names(), ['claimed.txt', 'late.txt']);
      t.same(page(await look(member, uri)), NOT_FOUND);
      for (const stays of [kept, late]) t.equal((await look(member, stays)).status, 200);
      const used = 'content of claimed.txt'.length + 'content of late.txt'.length;
      // The realm counts the space after the records are gone.
      const spaceUsed = async (): Promise<unknown> => (await attachmentsOf(member)).upload_space_used;
      await until('its space is given back', async () => (await spaceUsed()) === used, 5_000);
      await server.restart();
      await pass(40);
      await until('the other is gone', async () => (await names()).length === 1, 5_000);
      t.same(await names(), ['claimed.txt'], 'also after a restart');
    },
  );

  await t.test('unlinked files outlive a clock that is ahead, and are deleted once it is right', async (t) => {
    const year = 365 * DAY_MS;
    const uri = await upload(member, 'draft.txt');
    await server.restart(() => clock.correctWallTime(year));
    await clock.longAsync(DAY_MS / 2);
    await settle(50);
    t.equal((await look(member, uri)).status, 200);
    await server.restart(() => clock.correctWallTime(-year));
    // The actor looks at all its files when the time of the next one is over, or earlier, when it wakes by itself.
    await upload(member, 'next.txt');
    await pass(34);
    t.equal((await look(member, uri)).status, 200);
    await pass(2);
    await until('the next is gone', async () => !(await names()).includes('next.txt'), 5_000);
    await pass(36);
    await until('it is gone', async () => !(await names()).includes('draft.txt'), 5_000);
  });

  await t.test('unlinked files are deleted although the server runs only for some hours each week', async (t) => {
    const uri = await upload(member, 'weekly.txt');
    await server.restart(() => clock.leap(40 * DAY_MS));
    await clock.advanceAsync(DAY_MS / 3);
    await settle(50);
    // Lets the actor do its due work before the next start.
    t.ok((await names()).includes('weekly.txt'));
    await server.restart(() => clock.leap(7 * DAY_MS));
    await clock.advanceAsync(60_000);
    await settle(50);
    t.equal((await look(member, uri)).status, 200, 'the clock may be ahead for a minute');
    clock.leap(3_600_000);
    await until('it is gone', async () => !(await names()).includes('weekly.txt'), 5_000);
  });

  await t.test('a file that a scheduled message links is kept for it', async (t) => {
    const uri = await upload(member, 'awaited.txt');
    await member.api.ok('POST /scheduled_messages', {
      type: 'direct',
      to: [member.id],
      content: `[x](${uri})`,
      scheduled_delivery_timestamp: Math.floor((clock.now() + 40 * DAY_MS) / 1000),
    });
    await upload(member, 'unclaimed again.txt');
    await pass(36);
    await until('the other is gone', async () => (await names()).length === 2, 5_000);
    t.same(await names(), ['claimed.txt', 'awaited.txt']);
    const links = async (): Promise<number> => (await attachmentsOf(member)).attachments.at(-1)!.messages.length;
    t.equal(await links(), 0);
    await pass(5);
    await until('it is linked', async () => (await links()) === 1, 5_000);
    t.equal((await look(member, uri)).status, 200);
  });
}
