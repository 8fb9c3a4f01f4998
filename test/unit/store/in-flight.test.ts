import t from 'tap';
import { StoreUnavailableError } from '#ports/store';
import { InFlightStoreOperations } from '../../../src/ports/store/in-flight.js';
import { FakeClock, settle } from '../../support/fake-clock.js';

const never = (): Promise<never> => new Promise(() => {});

t.test('an operation settles with its own result', async (test) => {
  const underWay = new InFlightStoreOperations(new FakeClock());
  test.equal(await underWay.runOperation(async () => 7), 7);
  await test.rejects(
    underWay.runOperation(() => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
  await underWay.waitUntilIdle();
});

t.test('an unsettled operation is given up only after connections broke', async (test) => {
  const clock = new FakeClock();
  const underWay = new InFlightStoreOperations(clock);
  const ended: string[] = [];
  const watch = (name: string, operation: Promise<unknown>): void => {
    operation.then(
      () => ended.push(`${name} resolved`),
      (error) => ended.push(`${name} ${error instanceof StoreUnavailableError ? 'unavailable' : error}`),
    );
  };
  watch('before', underWay.runOperation(never));
  await clock.advanceAsync(60_000);
  test.strictSame(ended, [], 'long operations are no fault');
  let come: (value: string) => void = () => {};
  watch(
    'slow',
    underWay.runOperation(
      () =>
        new Promise<string>((resolve) => {
          come = resolve;
        }),
    ),
  );
  underWay.giveUpAfterBrokenConnections();
  watch('after', underWay.runOperation(never));
  await clock.advanceAsync(2_000);
  test.strictSame(ended, []);
  come('answer');
  await clock.advanceAsync(10_000);
  test.strictSame(ended, ['slow resolved', 'before unavailable'], 'what began after that goes on');
  let isQuiet = false;
  void underWay.waitUntilIdle().then(() => {
    isQuiet = true;
  });
  await settle();
  test.notOk(isQuiet);
  underWay.giveUpAfterBrokenConnections();
  await clock.advanceAsync(10_000);
  test.ok(isQuiet, 'a Store that is closed does not wait for it for ever');
  test.equal(ended.at(-1), 'after unavailable');
});
