import t from 'tap';
import { SingleFlight } from '#base';
import { settle } from '../../support/fake-clock.js';

function world() {
  const begun: { end: () => void; fail: (error: Error) => void }[] = [];
  const runs = new SingleFlight<number>();
  const ask = (key: number): Promise<void> =>
    runs.joinQueuedRunOrStart(
      key,
      () =>
        new Promise<void>((resolve, reject) => {
          begun.push({ end: resolve, fail: reject });
        }),
    );
  return { begun, ask };
}

t.test('a thousand callers during one run share the run that begins after they asked', async (t) => {
  const { begun, ask } = world();
  const first = ask(1);
  const others = Array.from({ length: 1_000 }, () => ask(1));
  t.equal(begun.length, 1);
  let done = false;
  void Promise.all(others).then(() => {
    done = true;
  });
  begun[0]!.end();
  await first;
  await settle();
  t.equal(begun.length, 2, 'what began before they asked does not do for them');
  t.notOk(done);
  begun[1]!.end();
  await Promise.all(others);
  t.equal(begun.length, 2);
});

t.test('other keys do not wait', (t) => {
  const { begun, ask } = world();
  void ask(1);
  void ask(2);
  t.equal(begun.length, 2);
  t.end();
});

t.test('a failed run fails for the callers that waited for it, and not for the next', async (t) => {
  const { begun, ask } = world();
  const first = ask(1);
  const second = ask(1);
  begun[0]!.fail(new Error('away'));
  await t.rejects(first, { message: 'away' });
  await settle();
  begun[1]!.end();
  await second;
  const third = ask(1);
  t.equal(begun.length, 3, 'afterwards the next begins at once');
  begun[2]!.end();
  await third;
});
