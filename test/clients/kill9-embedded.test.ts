/** Embedded face: acknowledged sends survive `kill -9`, and event queues continue. */
import t from 'tap';
import { rounds } from '../support/rounds.js';
import { Follower, Sender, stopTraffic } from './support/chatter.js';
import { Embedded } from './support/face.js';
import { checkNothingLost, killUnderTraffic, STREAM } from './support/kill.js';
import { WITH_WORKERS } from './support/process.js';

const ROUNDS = rounds(1, 5);

const face = await Embedded.start(WITH_WORKERS);
t.teardown(() => face.stop());
const api = face.api();

t.test('an acknowledged send survives kill -9, in the history and in the queue', async (test) => {
  await api.subscribe(STREAM);
  const { queue_id: queue, last_event_id: start } = await api.register();
  const first = await api.send(STREAM, 'first');
  const [seen] = await api.events(queue, start);
  test.equal(seen?.message?.id, first);
  // Acknowledges the first event; the queue has no other.
  test.strictSame(await api.events(queue, seen!.id, { dont_block: true }), []);
  const second = await api.send(STREAM, 'second');
  await face.server.kill();
  await face.up();

  test.strictSame(
    (await api.history(STREAM)).map(({ id, content }) => [id, content]),
    [
      [first, 'first'],
      [second, 'second'],
    ],
  );
  const again = await api.events(queue, seen!.id);
  test.strictSame(
    again.map(({ message }) => message?.id),
    [second],
    'the queue keeps its id and delivers unacknowledged events only',
  );
  test.ok(again[0]!.id > seen!.id, 'the event id is above those seen before');
  const repeated = await api.events(queue, seen!.id);
  test.strictSame(repeated, again, 'the event is delivered again until it is acknowledged');
  const third = await api.send(STREAM, 'third');
  const [last, ...more] = await api.events(queue, again[0]!.id);
  test.strictSame([last?.message?.id, more], [third, []]);
  test.ok(last!.id > again[0]!.id);
  test.ok(third > second, 'message ids keep growing');
});

t.test('kill -9 under traffic loses and doubles no acknowledged send', async (test) => {
  const follower = await Follower.start([api]);
  const sender = new Sender([api], STREAM, 'm');
  test.teardown(() => stopTraffic(sender, follower));
  for (let round = 0; round < ROUNDS; round++) {
    await killUnderTraffic(test, sender, async () => {
      await face.server.kill();
      await face.up();
    });
  }
  await sender.stop();
  await checkNothingLost(test, api, sender, follower);
});
