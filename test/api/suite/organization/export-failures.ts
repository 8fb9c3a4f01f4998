/** Data exports that fail, are cut off or wait, and the end of a week (embedded face only). */
import type { Test } from 'tap';
import type { RealmId } from '#model';
import { type BlobContent, BlobStorageUnavailableError } from '#ports/blobs';
import { FakeClock } from '../../../support/fake-clock.js';
import { MemoryBlobs } from '../../../support/memory-blobs.js';
import { until } from '../../../support/until.js';
import { refused } from '../../harness.js';
import { bad } from '../../support/client.js';
import { startEmbedded } from '../../support/faces.js';
import { makeOrganization, say, subscribe } from '../../support/organization.js';
import { exportsOf, runExport, watchExports } from './data-exports.js';

/** Lists its archives; holds or refuses new ones on demand. */
class ArchiveBlobs extends MemoryBlobs {
  readonly archives = new Set<string>();
  mode: 'store' | 'hold' | 'refuse' = 'store';
  /** Lets the archives go on that are held. */
  readonly held: (() => void)[] = [];

  override async put(realm: RealmId, path: string, content: BlobContent, type: string): Promise<void> {
    const isArchive = path.startsWith('exports/');
    if (isArchive && this.mode === 'refuse') throw new BlobStorageUnavailableError('told to refuse');
    if (isArchive && this.mode === 'hold') await new Promise<void>((resolve) => this.held.push(resolve));
    await super.put(realm, path, content, type);
    if (isArchive) this.archives.add(path);
  }

  override async delete(realm: RealmId, path: string): Promise<void> {
    await super.delete(realm, path);
    this.archives.delete(path);
  }
}

const WEEK_MS = 7 * 86_400_000;

export async function exportFailures(t: Test): Promise<void> {
  const blobs = new ArchiveBlobs();
  const clock = new FakeClock(Date.now());
  const server = await startEmbedded({ clock, adjust: (ports) => ({ ...ports, blobs }) });
  t.teardown(() => server.close());
  const { owner, member } = await makeOrganization(server, ['member']);
  const remove = (export_id: number) => owner.api.call('DELETE /export/realm/{export_id}', { export_id });
  /** A starting server retries some work after short waits, for which the clock must move. */
  const ticking = async (pending: Promise<void>): Promise<void> => {
    let done = false;
    const over = (): void => {
      done = true;
    };
    pending.then(over, over);
    await until('settled while the clock goes on', () => {
      clock.advance(10);
      return done;
    });
    return pending;
  };

  await t.test('while an export runs, requests are answered; it can be deleted afterwards only', async (t) => {
    await subscribe(owner, 'square', { principals: [owner, member] });
    blobs.mode = 'hold';
    const queue = await watchExports(owner);
    const { id } = await owner.api.ok<{ id: number }>('POST /export/realm');
    await until('the archive is ready', () => blobs.held.length === 1, 10_000);
    await refused(t, remove(id), bad('Export still in progress'));
    await say(member, 'square', 'x', 'sent meanwhile');
    t.match(await exportsOf(owner), [{ id, pending: true, export_url: null }]);
    blobs.mode = 'store';
    for (const goOn of blobs.held.splice(0)) goOn();
    await queue.take(2);
    t.match(await exportsOf(owner), [{ id, pending: false, export_url: String }]);
    t.equal(blobs.archives.size, 1);
    t.equal((await remove(id)).status, 200);
    t.equal(blobs.archives.size, 0);
  });

  await t.test('an export whose archive cannot be stored has failed', async (t) => {
    blobs.mode = 'refuse';
    const failed = await runExport(owner);
    blobs.mode = 'store';
    t.match(failed, {
      pending: false,
      export_url: null,
      failed_timestamp: clock.now() / 1000,
      deleted_timestamp: null,
    });
    await refused(t, remove(failed.id), bad('Export failed, nothing to delete'));
  });

  await t.test('an export that a stop of the server cuts off begins anew, and leaves one archive', async (t) => {
    blobs.mode = 'hold';
    const { id } = await owner.api.ok<{ id: number }>('POST /export/realm');
    await until('the archive is ready', () => blobs.held.length === 1, 10_000);
    const restarted = ticking(server.restart());
    blobs.mode = 'store';
    // The storage finishes what it has begun after the export was given up.
    await until('the export is given up', () => blobs.held.length === 1);
    for (const goOn of blobs.held.splice(0)) goOn();
    await restarted;
    const ended = until('the export has ended', async () => (await exportsOf(owner)).at(-1)?.pending === false, 10_000);
    await ticking(ended.then(() => undefined));
    t.match((await exportsOf(owner)).at(-1), { id, pending: false, export_url: /-try2\.tar\.gz$/ });
    t.equal(blobs.archives.size, 1);
    t.equal((await remove(id)).status, 200);
  });

  await t.test('failed and deleted exports count, for a week', async (t) => {
    while ((await exportsOf(owner)).length < 5) await runExport(owner);
    await refused(t, owner.api.call('POST /export/realm'), bad('Exceeded rate limit.'));
    await clock.longAsync(WEEK_MS - 60_000);
    await refused(t, owner.api.call('POST /export/realm'), bad('Exceeded rate limit.'));
    await clock.longAsync(120_000);
    t.match(await runExport(owner), { id: 6, export_url: String });
  });
}
