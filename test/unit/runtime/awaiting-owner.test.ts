import t from 'tap';
import { busSubjectOfPartition, partitionOfActor } from '#model';
import { LocalBus, LocalBusHub } from '#ports/bus';
import { ActorClient } from '#runtime';
import { ledgerKey } from '../../cluster/kinds.js';
import { FakeClock } from '../../support/fake-clock.js';
import { settle } from './harness.js';

const key = ledgerKey(1);
const subject = busSubjectOfPartition(partitionOfActor(key));

t.test('a command without owner is sent as soon as a host serves its partition', async (t) => {
  const clock = new FakeClock();
  const hub = new LocalBusHub();
  const [frontend, host] = [new LocalBus(clock, hub), new LocalBus(clock, hub)];
  const sent = new ActorClient(frontend, clock).send(key, 'add', {});
  // Long enough that the next attempt by timer is far away.
  for (let i = 0; i < 8; i++) {
    await clock.advance(1_000);
    await settle();
  }
  let taken = 0;
  const server = await host.serve(subject, (request) => {
    taken++;
    request.reply({ value: 7 });
  });
  // The clock stands still.
  t.same(await sent.reply, { value: 7 });
  t.equal(taken, 1);
  await server.close();
});

t.test('a command given up is not sent to a later owner, and no command is sent twice', async (t) => {
  const clock = new FakeClock();
  const hub = new LocalBusHub();
  const [frontend, host] = [new LocalBus(clock, hub), new LocalBus(clock, hub)];
  const client = new ActorClient(frontend, clock);
  const [kept, dropped] = [client.send(key, 'kept', {}), client.send(key, 'dropped', {})];
  await settle();
  dropped.cancel();
  const names: string[] = [];
  const serve = () =>
    host.serve(subject, (request) => {
      names.push((request.value as { name: string }).name);
      if (names.length > 1) request.reply({ value: null });
    });
  await serve();
  await settle();
  // The command was received and is unanswered, so a new owner of the partition does not get it, too.
  await serve();
  await settle();
  t.same(names, ['kept']);
  kept.cancel();
  await clock.advance(60_000);
  t.same(names, ['kept']);
});
