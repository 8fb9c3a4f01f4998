/** The sidecar of the webhook actor: calls that run while their actor leaves the host. */

import t from 'tap';
import { toRealmId, toUserId, webhookActorKey } from '#model';
import type { MessageRecord } from '#model/records';
import { WebhookActorSidecar } from '../../../actors/webhook/sidecar.js';
import { WebhookMemoryState } from '../../../actors/webhook/state.js';
import { FakeClock } from '../../support/fake-clock.js';
import { Gate } from '../../support/gate.js';

const CALL = { message: 5, stream: 0, trigger: 'private_message', origin: 'http://here', tries: 0, next: 0 };

/** A sidecar with one running call, whose outcome is known when the gate opens. */
function startSidecarWithCall() {
  const realm = toRealmId(1);
  const [clock, gate] = [new FakeClock(), new Gate()];
  const steps: string[] = [];
  const handle = {
    key: webhookActorKey(realm, toUserId(9)),
    realm,
    volatile: new WebhookMemoryState(),
    sendSelf: async (name: string) => void steps.push(name),
  };
  const sources = {
    services: { clock },
    store: { getMessages: () => gate.opened.then((): MessageRecord[] => []) },
    loadDirectory: async () => ({ user: () => undefined }),
  };
  const sidecar = new WebhookActorSidecar(handle as never, sources as never);
  handle.volatile.startedCalls.push(CALL);
  sidecar.onCommitted();
  const drain = () => sidecar.flush('drained').then(() => void steps.push('drained'));
  return { clock, gate, steps, drain, sidecar, handle };
}

t.test('a planned restart waits for a running call instead of making it again later', async (t) => {
  const { clock, gate, steps, drain } = startSidecarWithCall();
  const drained = drain();
  gate.open();
  await drained;
  t.same(steps, ['called', 'drained']);
  t.equal(clock.next(), undefined, 'no timer is left');
  await drain();
  t.equal(steps.length, 3, 'nothing runs any more');
});

t.test('a restart waits for a slow webhook for less than the time of a drain', async (t) => {
  const { clock, steps, drain } = startSidecarWithCall();
  const drained = drain();
  t.ok(clock.next()! < 10_000);
  clock.advance(clock.next()!);
  await drained;
  t.same(steps, ['drained']);
});

t.test('a drain waits for a call whose start was not committed when the drain began', async (t) => {
  const { clock, gate, steps, drain, sidecar, handle } = startSidecarWithCall();
  handle.volatile.startedCalls.push({ ...CALL, message: 6 });
  const drained = drain();
  gate.open();
  await gate.opened;
  sidecar.onCommitted();
  await drained;
  t.same([steps, clock.next()], [['called', 'called', 'drained'], undefined]);
});
