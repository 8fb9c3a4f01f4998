/** Stored files of replaced pictures, also when storing fails on the way (embedded face only). */
import type { Test } from 'tap';
import type { RealmId } from '#model';
import { BlobStorageUnavailableError } from '#ports/blobs';
import { MemoryBlobs } from '../../../support/memory-blobs.js';
import { until } from '../../../support/until.js';
import { refused } from '../../harness.js';
import { bad } from '../../support/client.js';
import { startEmbedded } from '../../support/faces.js';
import { makeOrganization, type Person } from '../../support/organization.js';
import { lookAt, picture, shown } from '../../support/pictures.js';

/** Lists its files, and fails on demand. */
class WatchedBlobs extends MemoryBlobs {
  readonly names = new Set<string>();
  /** Counts down with each picture stored, and the last one fails; at 0 none fails. */
  failing = 0;

  override async put(realm: RealmId, path: string, bytes: Uint8Array, type: string): Promise<void> {
    if (this.failing > 0 && --this.failing === 0) throw new BlobStorageUnavailableError('told to fail');
    await super.put(realm, path, bytes, type);
    this.names.add(path);
  }

  override async delete(realm: RealmId, path: string): Promise<void> {
    await super.delete(realm, path);
    this.names.delete(path);
  }
}

export async function pictureStoring(t: Test): Promise<void> {
  const blobs = new WatchedBlobs();
  const server = await startEmbedded({ adjust: (ports) => ({ ...ports, blobs }) });
  t.teardown(() => server.close());
  const { owner, member, nobody } = await makeOrganization(server, ['member']);
  const put = async (by: Person, colour: string) =>
    by.api.upload('POST /users/me/avatar', [{ name: 'a', bytes: await picture(colour) }]);
  const icon = async (colour: string) =>
    owner.api.upload('POST /realm/icon', [{ name: 'a', bytes: await picture(colour) }]);
  /** Old pictures are deleted after the answer, so the check waits. */
  const keeps = (t: Test, n: number, title: string): Promise<unknown> =>
    until(title, async () => blobs.names.size === n, 5_000).then(
      () => t.pass(title),
      () => t.equal(blobs.names.size, n, title),
    );

  await t.test('two sizes of each avatar and one of each icon are stored, however often they change', async (t) => {
    for (const colour of ['#ff0000', '#00ff00', '#0000ff']) {
      for (const by of [owner, member]) t.equal((await put(by, colour)).status, 200);
      t.equal((await icon(colour)).status, 200);
    }
    await keeps(t, 5, 'the newest of each');
    await member.api.ok('DELETE /users/me/avatar');
    await keeps(t, 3, 'without the one that was taken away');
    await owner.api.ok('DELETE /realm/icon');
    await keeps(t, 2, 'nor the icon');
  });

  await t.test(
    'a picture that could not be stored changes nothing; its part is deleted with the next upload',
    async (t) => {
      const before = await owner.api.ok<{ avatar_url: string; avatar_version: number }>('GET /users/me');
      for (const failing of [1, 2, 2]) {
        blobs.failing = failing;
        t.equal((await put(owner, '#123456')).status, 503);
      }
      t.match(await owner.api.ok('GET /users/me'), before);
      t.equal((await shown((await lookAt(nobody, before.avatar_url)).bytes)).colour, '#0000ff');
      await keeps(t, 4, 'of two the first size is left');
      await server.restart();
      const { body } = await put(owner, '#abcdef');
      await keeps(t, 2, 'and nothing of them after the next');
      t.equal((await shown((await lookAt(nobody, String(body.avatar_url))).bytes)).colour, '#abcdef');
      t.match(
        body.avatar_url,
        new RegExp(`version=${Number(before.avatar_version) + 1}$`),
        'failures count for nothing',
      );
    },
  );

  await t.test('a picture refused after decoding is not stored', async (t) => {
    const disabled = bad('Avatar changes are disabled in this organization.');
    const [, answer] = await Promise.all([
      owner.api.ok('PATCH /realm', { avatar_changes_disabled: true }),
      put(member, '#111111'),
    ]);
    if (answer.status !== 200) await refused(t, Promise.resolve(answer), disabled);
    await refused(t, put(member, '#222222'), disabled);
    await keeps(t, answer.status === 200 ? 4 : 2, 'only what was taken');
  });
}
