/** Contract test of BlobStorage implementations. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Test } from 'tap';
import { toRealmId } from '#model';
import { BlobGoneError, type BlobStorage } from '#ports/blobs';

const one = toRealmId(1);
const two = toRealmId(2);

/** @param open opens a client of the storage; all clients share one storage */
export function blobsContract(t: Test, name: string, open: () => Promise<BlobStorage>): void {
  const opened = async (t: Test): Promise<BlobStorage> => {
    const blobs = await open();
    t.teardown(() => blobs.close());
    return blobs;
  };
  const text = async (blobs: BlobStorage, path: string, realm = one): Promise<string | undefined> => {
    const found = await blobs.find(realm, path);
    return found && Buffer.from(await found.read()).toString();
  };

  t.test(`${name}: a stored blob is found with its type and size, also through another client and later`, async (t) => {
    const blobs = await opened(t);
    await blobs.put(one, 'a/b', Buffer.from('hello'), 'text/x-test');
    for (const by of [blobs, await opened(t)]) {
      const found = await by.find(one, 'a/b');
      t.match(found, { mediaType: 'text/x-test', sizeBytes: 5 });
      t.equal(await text(by, 'a/b'), 'hello');
    }
    t.equal(await text(blobs, 'a/b', two), undefined, 'the blob is not found in another realm');
    t.equal(await text(blobs, 'a'), undefined, 'a folder is not a blob');
    t.equal(await text(blobs, 'a/b/'), undefined);
    t.equal(await text(blobs, 'A/b'), undefined, 'names differ by case');
  });

  t.test(`${name}: any part can be read`, async (t) => {
    const blobs = await opened(t);
    const bytes = randomBytes(700_001);
    await blobs.put(one, 'large', bytes, 'application/octet-stream');
    const found = (await blobs.find(one, 'large'))!;
    t.equal(found.sizeBytes, bytes.length);
    for (const [start, end] of [
      [0, bytes.length],
      [0, 1],
      [bytes.length - 1, bytes.length],
      [261_119, 261_121],
      [100_000, 600_000],
      [5, 5],
    ] as const) {
      t.ok(bytes.subarray(start, end).equals(await found.read(start, end)), `${start}-${end}`);
    }
    t.ok(bytes.subarray(700_000).equals(await found.read(700_000)), 'a read without length continues to the end');
  });

  t.test(`${name}: all blobs of a realm can be deleted, and those of other realms stay`, async (t) => {
    const blobs = await opened(t);
    const [realm, longer] = [toRealmId(7), toRealmId(71)];
    for (const path of ['a', 'b/c', '/']) await blobs.put(realm, path, Buffer.from('gone'), 'text/x-test');
    for (const of of [longer, one]) await blobs.put(of, '7/a', Buffer.from('kept'), 'text/x-test');
    await blobs.deleteAllOfRealm(realm);
    for (const path of ['a', 'b/c', '/']) t.equal(await text(blobs, path, realm), undefined);
    for (const of of [longer, one]) t.equal(await text(blobs, '7/a', of), 'kept');
    await blobs.deleteAllOfRealm(realm);
    await blobs.put(realm, 'a', Buffer.from('new'), 'text/x-test');
    t.equal(await text(blobs, 'a', realm), 'new', 'new blobs can be stored after the deletion');
  });

  t.test(`${name}: blobs of a bulk are found as those of single calls`, async (t) => {
    const blobs = await opened(t);
    const bulk = blobs.makeBulkWriter();
    const pieces = [randomBytes(200_000), randomBytes(3)];
    await Promise.all([
      ...Array.from({ length: 20 }, (_, i) => bulk.put(one, `bulk/${i}`, Buffer.from(`blob ${i}`), 'text/x-bulk')),
      bulk.put(two, 'bulk/pieces', Readable.from(pieces), 'application/octet-stream'),
    ]);
    await bulk.put(one, 'bulk/3', Buffer.from('another'), 'text/plain');
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield randomBytes(10);
      throw new Error('no more');
    };
    await t.rejects(bulk.put(one, 'bulk/failed', failing(), 'text/plain'), { message: 'no more' });
    await bulk.flush();
    const by = await opened(t);
    t.match(await by.find(one, 'bulk/19'), { mediaType: 'text/x-bulk', sizeBytes: 7 });
    t.equal(await text(by, 'bulk/19'), 'blob 19');
    t.equal(await text(by, 'bulk/3'), 'another', 'the second blob with a path replaces the first');
    t.ok(Buffer.concat(pieces).equals(await (await by.find(two, 'bulk/pieces'))!.read()));
    t.equal(await by.find(one, 'bulk/failed'), undefined);
    await bulk.flush();
    await bulk.put(one, 'bulk/later', Buffer.from('later'), 'text/plain');
    await bulk.flush();
    t.equal(await text(by, 'bulk/later'), 'later');
  });

  t.test(`${name}: a bulk reader finds small and large blobs, and none that is not there`, async (t) => {
    const blobs = await opened(t);
    const contents = [0, 1, 65_000, 65_536, 300_000].map((length) => randomBytes(length));
    for (const [i, content] of contents.entries()) await blobs.put(one, `read/${i}`, content, 'text/x-read');
    const reader = blobs.makeBulkReader();
    const found = await Promise.all(contents.map((_, i) => reader.find(one, `read/${i}`)));
    for (const [i, content] of contents.entries()) {
      t.match(found[i], { mediaType: 'text/x-read', sizeBytes: content.length });
      t.ok(content.equals(await found[i]!.read()), 'later reads leave it as it is');
      if (content.length > 4) t.ok(content.subarray(1, 4).equals(await found[i]!.read(1, 4)), 'a part');
    }
    t.equal(await reader.find(two, 'read/1'), undefined);
    t.equal(await reader.find(one, 'read/9'), undefined);
    t.equal(await reader.find(one, '../read/1'), undefined);
  });

  t.test(`${name}: a blob can be stored in pieces; pieces that end with an error store nothing`, async (t) => {
    const blobs = await opened(t);
    const pieces = [randomBytes(300_000), Buffer.alloc(0), randomBytes(70_001)];
    await blobs.put(
      one,
      'pieces',
      (async function* () {
        yield* pieces;
      })(),
      'application/gzip',
    );
    const found = (await blobs.find(one, 'pieces'))!;
    t.match(found, { sizeBytes: 370_001, mediaType: 'application/gzip' });
    t.ok(Buffer.concat(pieces).equals(await found.read()));
    for (const path of ['pieces', 'never whole']) {
      const broken = async function* () {
        yield randomBytes(400_000);
        throw new Error('the source ended');
      };
      await t.rejects(blobs.put(one, path, broken(), 'text/plain'), /the source ended/);
    }
    t.equal(await blobs.find(one, 'never whole'), undefined);
    t.ok(Buffer.concat(pieces).equals(await (await blobs.find(one, 'pieces'))!.read()), 'the earlier blob stays');
  });

  t.test(`${name}: an empty blob can be stored`, async (t) => {
    const blobs = await opened(t);
    await blobs.put(one, 'empty', new Uint8Array(0), 'text/plain');
    t.match(await blobs.find(one, 'empty'), { sizeBytes: 0 });
    t.equal(await text(blobs, 'empty'), '');
  });

  t.test(`${name}: a second put replaces the first blob`, async (t) => {
    const blobs = await opened(t);
    for (const content of ['first, and longer', 'second']) await blobs.put(one, 'again', Buffer.from(content), content);
    t.equal(await text(blobs, 'again'), 'second');
    t.match(await blobs.find(one, 'again'), { mediaType: 'second', sizeBytes: 6 });
    await blobs.delete(one, 'again');
    t.equal(await text(blobs, 'again'), undefined, 'after a delete no older blob comes back');
  });

  t.test(`${name}: a deleted blob is gone, and deleting it again does nothing`, async (t) => {
    const blobs = await opened(t);
    await blobs.put(one, 'gone', Buffer.from('x'), 'text/plain');
    await blobs.put(two, 'gone', Buffer.from('stays'), 'text/plain');
    const found = (await blobs.find(one, 'gone'))!;
    await blobs.delete(one, 'gone');
    await blobs.delete(one, 'gone');
    await blobs.delete(one, 'never there');
    t.equal(await blobs.find(one, 'gone'), undefined);
    await t.rejects(found.read(), BlobGoneError);
    t.equal(await text(blobs, 'gone', two), 'stays');
  });

  t.test(`${name}: a path is an opaque name`, async (t) => {
    const blobs = await opened(t);
    const hostile = [
      '../../escape',
      '/etc/passwd',
      'a\0b',
      'ä ☃ \u{1f600}',
      '.',
      '',
      '$where',
      'x'.repeat(2_000),
      'a\\b',
    ];
    for (const path of hostile) await blobs.put(one, path, Buffer.from(`in ${path}`), 'text/plain');
    for (const path of hostile) t.equal(await text(blobs, path), `in ${path}`);
    for (const path of hostile) await blobs.delete(one, path);
    for (const path of hostile) t.equal(await text(blobs, path), undefined);
  });

  t.test(`${name}: after concurrent puts to one path, one blob is stored completely`, async (t) => {
    const blobs = await opened(t);
    const contents = Array.from({ length: 8 }, (_, i) => Buffer.alloc(300_000, i));
    await Promise.all(contents.map((bytes, i) => blobs.put(one, `at once ${i}`, bytes, `t${i}`)));
    for (const [i, bytes] of contents.entries()) {
      t.ok(bytes.equals((await (await blobs.find(one, `at once ${i}`))!.read()) as Buffer));
    }
    const settled = await Promise.allSettled(contents.map((bytes, i) => blobs.put(one, 'same', bytes, `t${i}`)));
    t.ok(settled.every((one) => one.status === 'fulfilled'));
    const last = (await blobs.find(one, 'same'))!;
    t.ok(contents[Number(last.mediaType.slice(1))]!.equals((await last.read()) as Buffer));
  });
}
