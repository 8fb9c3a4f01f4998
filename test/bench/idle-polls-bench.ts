/**
 * Many held polls that nobody has anything for: how fast their queues are registered, and what they cost while each gets nothing but
 * its heartbeat, beside a bare server that holds as many and answers them as often.
 * `node dist/test/bench/idle-polls-bench.js [--face embedded|cluster] [--polls N] [--users N] [--seconds N]`. Asserts nothing.
 * Every poll is a connection: the limit of descriptors (`ulimit -n`) bounds them.
 */
import { parseArgs } from 'node:util';
import { cpuMs } from './cpu.js';
import { type Face, startFace } from './faces.js';
import type { IdleResult, Poll } from './jobs.js';
import type { FaceName } from './options.js';
import { makeAccounts, registerQueues } from './prepare.js';
import { Ceiling, Load } from './processes.js';
import { machine } from './report.js';

const text = (value: string) => ({ type: 'string', default: value }) as const;
const { values } = parseArgs({
  options: {
    face: text('embedded'),
    polls: text('19000'),
    users: text('100'),
    seconds: text('110'),
    /** Of registrations at once. */
    'at-once': text('32'),
    profile: { type: 'string' },
  },
});
const POLLS = Number(values.polls);
/** As event queues have it. */
const BEAT = { ms: 45_000, spreadMs: 10_000 };
const BEAT_TEXT =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n' +
  'Cache-Control: max-age=0, no-cache, no-store, must-revalidate, private\r\nExpires: Thu, 01 Jan 1970 00:00:00 GMT\r\n' +
  'X-RateLimit-Limit: 1000000000\r\nX-RateLimit-Remaining: 999999999\r\nX-RateLimit-Reset: 1795267000\r\n' +
  'X-Request-Id: 0123456789ab-1234\r\n\r\n' +
  '{"result":"success","msg":"","events":[{"type":"heartbeat","id":12345678}],"queue_id":"0123456789abcdef0123456789abcdef0123"}\n';

const say = (line: string): void => {
  process.stdout.write(`[${(performance.now() / 1000).toFixed(0)} s] ${line}\n`);
};

function tell(whose: string, { answers, failed, firstFailure, cpuMs: cpu, seconds }: IdleResult): void {
  const share = (cpu / seconds / 10).toFixed(2);
  const each = ((cpu * 1000) / answers).toFixed(0);
  say(`${whose}: ${(answers / seconds).toFixed(0)} heartbeats/s, ${share} % of a core, ${each} µs for each`);
  if (failed > 0) say(`${failed} failed: ${firstFailure}`);
}

async function main(face: Face, load: Load, ceiling: Ceiling): Promise<void> {
  const accounts = await makeAccounts(face, 1, Number(values.users));
  const begun = performance.now();
  const cpu = cpuMs(face.pids);
  const polls: Poll[] = await registerQueues(face, accounts, POLLS, Number(values['at-once']));
  const seconds = (performance.now() - begun) / 1000;
  say(
    `${POLLS} queues registered in ${seconds.toFixed(1)} s, ${((cpuMs(face.pids) - cpu) / POLLS).toFixed(2)} ms of CPU each`,
  );
  const job = { kind: 'idle', polls, spreadMs: 20_000, warmMs: 60_000, ms: Number(values.seconds) * 1000 } as const;
  const ours = await load.run({ ...job, port: face.port, pids: face.pids });
  tell(face.name, ours);
  await ceiling.answers({ poll: BEAT_TEXT, beat: BEAT });
  const bare = await load.run({ ...job, port: ceiling.port, pids: ceiling.pids });
  tell('bare uWebSockets.js', bare);
  say(`ratio of CPU: ${(ours.cpuMs / ours.seconds / (bare.cpuMs / bare.seconds)).toFixed(2)}`);
  say(machine());
}

const options = { nats: process.env.NATS_URL, mongodb: process.env.MONGODB_URL, profile: values.profile };
const face = await startFace(values.face as FaceName, options);
if (!face) throw new Error('no services: set NATS_URL and MONGODB_URL');
const ceiling = await Ceiling.start();
const load = new Load();
try {
  await main(face, load, ceiling);
} finally {
  await load.stop();
  await ceiling.stop();
  await face.stop();
}
