import t from 'tap';
import { HealthMonitor } from '#app/ops';

/** Time that the test moves, with little patience. */
function setUp(answerMs = 10_000) {
  let now = 0;
  const health = new HealthMonitor({ now: () => now, answerMs, freshMs: 1_000 });
  health.markStarted();
  return {
    health,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

t.test('a process is ready if every check passes; a failed check has its reason', async (t) => {
  const { health, pass } = setUp();
  health.addCheck('bus', () => true);
  health.addCheck('store', () => Promise.resolve(true as const));
  t.match(await health.readiness(), { ready: true, checks: { bus: { ok: true }, store: { ok: true } } });
  health.addCheck('bus', () => 'not connected');
  pass(1_000);
  t.match(await health.readiness(), { ready: false, checks: { bus: { ok: false, reason: 'not connected' } } });
});

t.test('the error text of a service is not shown: it may contain a password', async (t) => {
  const { health } = setUp();
  health.addCheck('store', () => Promise.reject(new Error('mongodb://conclave:hunter2@db refused')));
  health.addCheck('log', () => {
    throw new Error('nats://conclave:hunter2@bus refused');
  });
  const readiness = await health.readiness();
  t.match(readiness.checks, { store: { ok: false, reason: 'out of reach' }, log: { ok: false } });
  t.notMatch(JSON.stringify(readiness), 'hunter2');
});

t.test('a service that never answers soon fails its check', async (t) => {
  const { health } = setUp(5);
  health.addCheck('store', () => new Promise(() => {}));
  t.match(await health.readiness(), { ready: false, checks: { store: { ok: false, reason: 'no answer in time' } } });
});

t.test('services are checked once a second, for any number of callers', async (t) => {
  const { health, pass } = setUp();
  let asked = 0;
  health.addCheck('store', async () => {
    asked++;
    return true as const;
  });
  await Promise.all(Array.from({ length: 100 }, () => health.readiness()));
  pass(999);
  await health.readiness();
  t.equal(asked, 1);
  pass(1);
  await health.readiness();
  t.equal(asked, 2);
});

t.test('a process is not ready before its start is complete', async (t) => {
  const health = new HealthMonitor();
  t.match(await health.readiness(), { ready: false, checks: { started: { ok: false } } });
  health.markStarted();
  t.match(await health.readiness(), { ready: true }, 'at once, whatever was remembered');
});

t.test('a process is not ready from the moment it leaves', async (t) => {
  const { health } = setUp();
  t.equal((await health.readiness()).ready, true);
  health.markStopping();
  t.match(await health.readiness(), { ready: false, checks: { leaving: { ok: false, reason: 'leaving' } } });
});
