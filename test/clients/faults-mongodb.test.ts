/** Outages of MongoDB: at the start of the server and while it runs. */
import t from 'tap';
import { freePort } from '../support/free-port.js';
import { Cluster } from './support/face.js';
import { remove, temporary } from './support/folders.js';
import { services } from './support/missing.js';
import { checkFailsToStart, OUTAGE_OPTIONS, testOutage } from './support/outage.js';
import { TcpProxy } from './support/proxy.js';

const found = services();
if (found) {
  const { nats, mongodb } = found;

  t.test('the server does not start without MongoDB', async (test) => {
    const gone = `mongodb://127.0.0.1:${await freePort()}`;
    const folder = temporary('faults');
    test.teardown(() => remove(folder));
    const args = [
      '--role',
      'actors',
      '--nats',
      nats,
      '--mongodb',
      gone,
      '--data-dir',
      folder,
      '--secret',
      'a secret for tests',
    ];
    await checkFailsToStart(test, args, /^conclave: MongoDB at mongodb:\/\/127\.0\.0\.1/);
  });

  t.test('the server survives an outage of MongoDB', async (test) => {
    const proxy = await TcpProxy.start(mongodb);
    test.teardown(() => proxy.cut());
    const face = await Cluster.start({ nats, mongodb: proxy.through(mongodb), options: OUTAGE_OPTIONS }, 1);
    test.teardown(() => face.stop());
    await testOutage(
      test,
      face,
      () => proxy.cut(),
      () => proxy.restore(),
    );
  });
}
