/** Check: a user whose subscription was confirmed may send to the stream, through any frontend and host. */
import type { ApiEvent } from '../api/support/types.js';
import type { CallRecord, RunRecord } from './record.js';

/** @returns the streams to which the event subscribes the user of the queue */
export function joinedBy(event: ApiEvent): number[] {
  if (event.type !== 'subscription' || event.op !== 'add') return [];
  return (event.subscriptions as { stream_id: number }[]).map(({ stream_id }) => stream_id);
}

/** Subscription that a response or an event confirmed. */
interface Join {
  readonly user: number;
  readonly stream: number;
  /** Step of the request; 0 if several requests may have caused the subscription. */
  readonly startStep: number;
  /** Step of the first confirmation. */
  readonly confirmedStep: number;
  /** The confirmation, in words for the problem. */
  readonly confirmation: string;
}

/** @returns the subscriptions that a response or a queue's event confirmed */
function listConfirmedJoins({ calls, queues }: RunRecord): Join[] {
  const fromResponses = calls
    .filter(({ kind, outcome }) => kind === 'subscribe' && outcome === 'ok')
    .map(({ stream, targetUser, startStep, endStep, op }) => {
      return {
        user: targetUser!,
        stream: stream!,
        startStep,
        confirmedStep: endStep,
        confirmation: `the response to ${op}`,
      };
    });
  const stepOfOnlyRequest = (user: number, stream: number): number => {
    const lastEventId = calls.filter(
      (call) => call.kind === 'subscribe' && call.targetUser === user && call.stream === stream,
    );
    return lastEventId.length === 1 ? lastEventId[0]!.startStep : 0;
  };
  const fromEvents = queues.flatMap(({ user, polls }) =>
    polls.flatMap(({ outcome, events, endStep }) =>
      (outcome === 'ok' ? events : []).flatMap(joinedBy).map((stream) => ({
        user,
        stream,
        startStep: stepOfOnlyRequest(user, stream),
        confirmedStep: endStep,
        confirmation: 'the subscription event',
      })),
    ),
  );
  return [...fromResponses, ...fromEvents];
}

/** @returns whether the call may have ended the subscription before the stream checked the send */
function mayEndJoin(call: CallRecord, { user, stream, startStep }: Join, untilStep: number): boolean {
  if (call.outcome === 'refused' || call.startStep > untilStep || call.targetUser !== user) return false;
  // Calls that finished before the join, or removed no subscription, did not end it.
  if (
    call.outcome === 'ok' &&
    (call.endStep < startStep || (call.body.removed as unknown[] | undefined)?.length === 0)
  ) {
    return false;
  }
  return call.kind === 'deactivate' || (call.kind === 'unsubscribe' && call.stream === stream);
}

export function checkJoins(run: RunRecord): string[] {
  const confirmedJoins = listConfirmedJoins(run);
  return run.calls.flatMap((send) => {
    if (send.kind !== 'send' || send.outcome !== 'refused') return [];
    const join = confirmedJoins.find(
      (candidate) =>
        candidate.user === send.user && candidate.stream === send.stream && candidate.confirmedStep < send.startStep,
    );
    if (!join || run.calls.some((call) => mayEndJoin(call, join, send.endStep))) return [];
    return [`${send.op} was refused (${send.body.msg}), sent after ${join.confirmation}`];
  });
}
