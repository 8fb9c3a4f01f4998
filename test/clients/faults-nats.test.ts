/** Outages of NATS: at the start of the server and while it runs. */
import t from 'tap';
import { freePort } from '../support/free-port.js';
import { natsServerBinary, OwnNats } from '../support/nats.js';
import { Cluster } from './support/face.js';
import { remove, temporary } from './support/folders.js';
import { services } from './support/missing.js';
import { checkFailsToStart, OUTAGE_OPTIONS, testOutage } from './support/outage.js';

const mongodb = services()?.mongodb;
const binary = natsServerBinary();

t.test('the server does not start without NATS', async (test) => {
  const gone = `nats://127.0.0.1:${await freePort()}`;
  const folder = temporary('faults');
  test.teardown(() => remove(folder));
  for (const role of ['http', 'actors']) {
    const args = [
      '--role',
      role,
      '--nats',
      gone,
      '--mongodb',
      'mongodb://127.0.0.1:1',
      '--data-dir',
      folder,
      '--secret',
      'a secret for tests',
    ];
    await checkFailsToStart(test, args, /^conclave: .*NATS.*127\.0\.0\.1/);
  }
});

if (mongodb && binary) {
  t.test('the server survives a kill and restart of NATS', async (test) => {
    const own = await OwnNats.start(binary);
    test.teardown(() => own.stop());
    const face = await Cluster.start({ nats: own.url, mongodb, options: OUTAGE_OPTIONS }, 1);
    test.teardown(() => face.stop());
    await testOutage(
      test,
      face,
      () => own.kill(),
      () => own.up(),
    );
  });
}
