import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import t from 'tap';
import { toRealmId } from '#model';
import { GridFsBlobStorage } from '#ports/blobs';
import { freePort } from '../support/free-port.js';
import { blobsContract } from './blobs.js';

const server = process.env.MONGODB_URL;

t.test('connecting to a closed port fails soon and names the server, without the password', async (t) => {
  const port = await freePort();
  await t.rejects(GridFsBlobStorage.connect(`mongodb://user:secret@127.0.0.1:${port}/x`), {
    name: 'BlobStorageUnavailableError',
    message: new RegExp(`^MongoDB at mongodb://127.0.0.1:${port} can't be used`),
  });
});

if (!server) {
  if (process.env.CI) t.fail('MONGODB_URL is not set');
  else t.test('GridFsBlobs', { skip: 'MONGODB_URL is not set: see deploy/dev/services' }, async () => undefined);
} else {
  const name = `conclave_test_${randomBytes(6).toString('hex')}`;
  const url = server.replace(/^(mongodb(?:\+srv)?:\/\/[^/]+)\/?[^?]*/, `$1/${name}`);
  t.teardown(async () => {
    const client = await new MongoClient(server, { retryWrites: false }).connect();
    await client.db(name).dropDatabase();
    await client.close();
  });

  blobsContract(t, 'GridFsBlobs', () => GridFsBlobStorage.connect(url));

  t.test('chunks without a document, as a crash leaves them, are not found', async (t) => {
    const client = await new MongoClient(url, { retryWrites: false }).connect();
    const blobs = await GridFsBlobStorage.connect(url);
    t.teardown(() => Promise.all([client.close(), blobs.close()]));
    await blobs.put(toRealmId(3), 'half', Buffer.alloc(600_000, 1), 'text/plain');
    await client.db(name).collection('blobs.files').deleteMany({ filename: '3/half' });
    t.equal(await blobs.find(toRealmId(3), 'half'), undefined);
    await blobs.put(toRealmId(3), 'half', Buffer.from('whole'), 'text/plain');
    t.equal(Buffer.from(await (await blobs.find(toRealmId(3), 'half'))!.read()).toString(), 'whole');
  });

  t.test('without its server every operation rejects with BlobStorageUnavailableError', async (t) => {
    const blobs = await GridFsBlobStorage.connect(url);
    await blobs.close();
    await t.rejects(blobs.find(toRealmId(1), 'x'), { name: 'BlobStorageUnavailableError' });
    await t.rejects(blobs.put(toRealmId(1), 'x', Buffer.from('x'), ''), { name: 'BlobStorageUnavailableError' });
    await t.rejects(blobs.delete(toRealmId(1), 'x'), { name: 'BlobStorageUnavailableError' });
  });
}
