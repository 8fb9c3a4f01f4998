/** The load generator: a process that runs the jobs of the main process, one at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, requestText } from './connection.js';
import { cpuMs } from './cpu.js';
import type { FanoutJob, FanoutResult, JobKind, JobOf, RateJob, RateResult, ResultOf } from './jobs.js';
import { idle, measureFanout } from './load-generator-polls.js';

const ROUND_TIMEOUT_MS = 10_000;

async function rate(job: RateJob): Promise<RateResult> {
  let count = 0;
  let failed = 0;
  let firstFailure = '';
  let stopping = false;
  let running = 0;
  let onDrained = (): void => {};
  const connections = await Promise.all(Array.from({ length: job.connections }, () => Connection.open(job.port)));
  connections.forEach((connection, i) => {
    const { requests } = job;
    let at = i % requests.length;
    const next = (): string => {
      const request = requests[at]!;
      if (job.cycles) at = (at + job.connections) % requests.length;
      return request;
    };
    connection.onAnswer = ({ ok, text }) => {
      count++;
      if (!ok && failed++ === 0) firstFailure = text.slice(0, 2_000);
      if (stopping) {
        if (--running === 0) onDrained();
      } else connection.write(next());
    };
    connection.onGone = (error) => {
      if (failed++ === 0) firstFailure = error?.message ?? 'connection closed';
      if (--running === 0) onDrained();
    };
    running++;
    connection.write(next());
  });
  await sleep(job.warmUpMs);
  count = 0;
  const cpu = cpuMs(job.pids);
  const begun = performance.now();
  await sleep(job.ms);
  const seconds = (performance.now() - begun) / 1000;
  const countedAnswers = count;
  const cpuUsed = cpuMs(job.pids) - cpu;
  stopping = true;
  if (running > 0) {
    await Promise.race([
      new Promise<void>((resolve) => {
        onDrained = resolve;
      }),
      sleep(ROUND_TIMEOUT_MS, undefined, { ref: false }),
    ]);
  }
  for (const connection of connections) connection.close();
  return { count: countedAnswers, seconds, cpuMs: cpuUsed, failed, firstFailure };
}

async function fanout(job: FanoutJob): Promise<FanoutResult> {
  const last = job.polls.map((poll) => poll.lastEventId);
  const poll = (i: number): string => {
    const { queueId, authorization, level } = job.polls[i]!;
    return requestText(
      'GET',
      `/api/v1/events?queue_id=${queueId}&last_event_id=${last[i]}`,
      authorization,
      undefined,
      level,
    );
  };
  const connections: Connection[] = [];
  for (let i = 0; i < job.polls.length; i++) connections.push(await Connection.open(job.port, true));
  const sender = await Connection.open(job.port, true);
  let waiting = 0;
  let sending = false;
  let lastDeliveryAt = 0;
  let onRoundEnd = (): void => {};
  let onBroken: (error: Error) => void = () => {};
  const onGone = (error: Error | undefined): void => onBroken(error ?? new Error('connection closed'));
  sender.onGone = onGone;
  sender.onAnswer = ({ ok, text }) => {
    if (!ok) onBroken(new Error(`send refused: ${text}`));
    sending = false;
    if (waiting === 0) onRoundEnd();
  };
  connections.forEach((connection, i) => {
    connection.onGone = onGone;
    connection.onAnswer = ({ ok, text }) => {
      const id = /"id":(\d+)\}\],"queue_id"/.exec(text);
      if (!ok || !id) return onBroken(new Error(`poll refused: ${text}`));
      last[i] = Number(id[1]);
      if (text.includes('"type":"heartbeat"')) connection.write(poll(i));
      else if (--waiting === 0) {
        lastDeliveryAt = performance.now();
        if (!sending) onRoundEnd();
      }
    };
  });
  const ms: number[] = [];
  const cpu = cpuMs(job.pids);
  for (let round = 0; round < job.rounds; round++) {
    waiting = connections.length;
    connections.forEach((connection, i) => {
      connection.write(poll(i));
    });
    await sleep(job.settleMs);
    if (waiting !== connections.length) throw new Error('polls were answered before the message was sent');
    const begun = performance.now();
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${waiting} polls without an answer`)), ROUND_TIMEOUT_MS);
      onRoundEnd = () => {
        clearTimeout(timer);
        resolve();
      };
      onBroken = reject;
      sending = true;
      sender.write(job.send);
    });
    ms.push(lastDeliveryAt - begun);
  }
  const spent = cpuMs(job.pids) - cpu;
  for (const connection of [...connections, sender]) connection.close();
  return { ms, deliveries: job.rounds * connections.length, cpuMs: spent, lastEventIds: last };
}

const HANDLERS: { readonly [K in JobKind]: (job: JobOf<K>) => Promise<ResultOf<K>> } = {
  rate,
  fanout,
  'fanout-rate': measureFanout,
  idle,
};

const runJob = <K extends JobKind>(job: JobOf<K> & { readonly kind: K }): Promise<ResultOf<K>> =>
  HANDLERS[job.kind](job);

process.on('message', (job: JobOf<JobKind>) => {
  runJob(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
