/** The push actor decides when waiting pushes are tried again. */
import t from 'tap';
import { pushNotificationActorKind } from '#actors/push';
import { pushActorKey, toRealmId, toUserId } from '#model';
import type { WaitingPush } from '../../../actors/push/state.js';

const NOW = 1_700_000_000_000;
const YEAR = 365 * 86_400_000;
const REALM = toRealmId(1);

const push = (number: number, over: Partial<WaitingPush> = {}): WaitingPush => ({
  number,
  event: 'message',
  messages: [number],
  trigger: 'direct',
  left: ['gateway'],
  since: NOW,
  tries: 1,
  next: NOW,
  ...over,
});

/** The outcome of a round in which the gateway took none of these pushes. */
function failRound(waiting: readonly WaitingPush[], tried: readonly WaitingPush[]) {
  const parts = new Map(waiting.map((one) => [`push/${one.number}`, one]));
  const results = tried.map((one) => ({
    push: one,
    receiversLeft: ['gateway'],
    hasFailedAttempt: true,
    requestedPauseMs: 0,
    wasDelivered: false,
  }));
  const round = { results, endedEndpointHashes: [], endedDeviceTokens: [] };
  const context = { key: pushActorKey(REALM, toUserId(8)), realm: REALM, now: NOW };
  const view = { state: { last: 9, shown: [] }, parts, volatile: undefined };
  return pushNotificationActorKind.commands.due!.handle(view, {}, round, context as never);
}

t.test('pushes that were tried while the clock was ahead are tried again once it is right', async (t) => {
  t.equal(failRound([push(1, { next: NOW + YEAR })], []).due, NOW);
  t.equal(failRound([push(1, { next: NOW + 3_600_000 })], []).due, NOW + 3_600_000, 'a pause of today');
});

t.test('a push from a clock that was ahead is dropped when its next attempt fails', async (t) => {
  const ahead = push(1, { since: NOW + YEAR });
  t.equal(failRound([ahead], [ahead]).parts?.['push/1'], null);
  const young = push(2, { since: NOW - 60_000 });
  t.match(failRound([young], [young]).parts?.['push/2'], { tries: 2, next: NOW + 2_000 });
});
