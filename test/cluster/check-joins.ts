/** Check: a user who was notified of a subscription may send to the stream, through any frontend and host. */
import type { ApiEvent } from '../api/support/types.js';
import type { CallRecord, RunRecord } from './record.js';

/** Streams to which the event subscribes the user of the queue. */
export function joinedBy(event: ApiEvent): number[] {
  if (event.type !== 'subscription' || event.op !== 'add') return [];
  return (event.subscriptions as { stream_id: number }[]).map(({ stream_id }) => stream_id);
}

interface Join {
  readonly user: number;
  readonly stream: number;
  /** Step before which it had not been asked for; 0: not known. */
  readonly begun: number;
  /** Step at which somebody knew of it. */
  readonly known: number;
  readonly how: string;
}

/** Joins that were answered, and those that a queue told of. */
function joins({ calls, queues }: RunRecord): Join[] {
  const answered = calls
    .filter(({ kind, outcome }) => kind === 'subscribe' && outcome === 'ok')
    .map(({ stream, whom, begun, ended, op }) => {
      return { user: whom!, stream: stream!, begun, known: ended, how: `${op} was answered` };
    });
  const onlyOne = (user: number, stream: number): number => {
    const asked = calls.filter((call) => call.kind === 'subscribe' && call.whom === user && call.stream === stream);
    return asked.length === 1 ? asked[0]!.begun : 0;
  };
  const told = queues.flatMap(({ user, polls }) =>
    polls.flatMap(({ outcome, events, ended }) =>
      (outcome === 'ok' ? events : []).flatMap(joinedBy).map((stream) => ({
        user,
        stream,
        begun: onlyOne(user, stream),
        known: ended,
        how: 'he was told that he had joined',
      })),
    ),
  );
  return [...answered, ...told];
}

/** It may have ended the subscription before the message was judged. */
function mayEndIt(call: CallRecord, { user, stream, begun }: Join, until: number): boolean {
  if (call.outcome === 'refused' || call.begun > until || call.whom !== user) return false;
  // The call had ended before, or found no subscription to end.
  if (call.outcome === 'ok' && (call.ended < begun || (call.body.removed as unknown[] | undefined)?.length === 0)) {
    return false;
  }
  return call.kind === 'deactivate' || (call.kind === 'unsubscribe' && call.stream === stream);
}

export function checkJoins(run: RunRecord): string[] {
  const known = joins(run);
  return run.calls.flatMap((send) => {
    if (send.kind !== 'send' || send.outcome !== 'refused') return [];
    const join = known.find((one) => one.user === send.user && one.stream === send.stream && one.known < send.begun);
    if (!join || run.calls.some((call) => mayEndIt(call, join, send.ended))) return [];
    return [`${send.op} was refused (${send.body.msg}), begun after ${join.how}`];
  });
}
