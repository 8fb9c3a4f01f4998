/** Cluster face: after `kill -9` of a process the others take over and keep every acknowledged send. */
import t from 'tap';
import { Follower, Sender, stopTraffic } from './support/chatter.js';
import { Cluster } from './support/face.js';
import { checkNothingLost, killUnderTraffic, STREAM } from './support/kill.js';
import { services } from './support/missing.js';

const cluster = services();
if (cluster) {
  const face = await Cluster.start(cluster);
  t.teardown(() => face.stop());

  t.test(
    'kill -9 of the actor host with the most partitions loses no acknowledged send and fails no request',
    async (test) => {
      const [a, b] = [face.api(0), face.api(1)];
      await a.subscribe(STREAM);
      // Queue without an event until the second stream exists, so that its poll waits through the first kill.
      const quiet = await a.ok('POST', '/register', {
        event_types: ['message'],
        narrow: [['stream', 'quiet']],
      });
      const held = b.events(quiet.queue_id as string, quiet.last_event_id as number);
      held.catch(() => undefined);
      const follower = await Follower.start([b]);
      const sender = new Sender([a], STREAM, 'm');
      test.teardown(() => stopTraffic(sender, follower));
      await killUnderTraffic(test, sender, async () => (await face.busiestHost()).kill());
      await a.subscribe('quiet');
      const said = await a.send('quiet', 'are you there?');
      const [next] = await held;
      // The event is the notice about the new stream or the message sent to it.
      test.ok((next?.message?.id ?? said + 1) <= said, 'a poll that waited before the kill gets the next event');
      // A third host replaces the dead one; then the second host is killed, too.
      await face.addHost();
      await killUnderTraffic(test, sender, async () => (await face.busiestHost()).kill());
      await sender.stop();
      test.strictSame(sender.failed, [], 'the frontend repeats sends until the next owner answers');
      test.strictSame(follower.errors, [], 'waiting polls keep waiting without an error');
      await checkNothingLost(test, b, sender, follower);
    },
  );

  t.test('kill -9 of a frontend loses no acknowledged send', async (test) => {
    const both = [face.api(0), face.api(1)];
    const follower = await Follower.start(both);
    const untouched = await Follower.start([both[1]!]);
    const sender = new Sender(both, STREAM, 'f');
    test.teardown(() => stopTraffic(sender, follower));
    await killUnderTraffic(test, sender, () => face.frontends[0]!.child.kill());
    test.not(
      follower.errors.length,
      0,
      'a client of the killed frontend loses its connection and continues with the other frontend',
    );
    await sender.stop();
    await checkNothingLost(test, both[1]!, sender, follower);
    test.strictSame(untouched.errors, [], 'polls at the other frontend do not fail');
    await checkNothingLost(test, both[1]!, sender, untouched);
  });
}
