/**
 * Throughput of appends to an event log with one JetStream stream, and with three, by turns. Entries are of three
 * organizations, which share the one stream or have one each. `. .services/env; node
 * dist/test/bench/log-streams-bench.js [--seconds N] [--runs N]` prints figures and asserts nothing.
 */
import { parseArgs } from 'node:util';
import { REAL_CLOCK } from '#base/clock';
import { toRealmId } from '#model';
import { JetStreamEventLog } from '#ports/log';
import { median } from './figures.js';

const REALMS = [1, 2, 3].map(toRealmId);
const APPENDS_AT_ONCE = 64;
const LIMITS = { maxAgeMs: 600_000, maxBytes: 192 * 1024 * 1024 };
/** Value with the size of an entry with one message, which is 700 bytes. */
const VALUE = 'x'.repeat(700);

async function measure(url: string, streamCount: number, milliseconds: number): Promise<number> {
  const namespace = `streams-${process.pid}-${streamCount}`;
  const options = { limits: LIMITS, namespace, stream: namespace, streamCount };
  const log = await JetStreamEventLog.open(url, REAL_CLOCK, options);
  try {
    let appended = 0;
    const end = performance.now() + milliseconds;
    const worker = async (_: unknown, i: number): Promise<void> => {
      for (; performance.now() < end; appended++) await log.append(REALMS[i % REALMS.length]!, VALUE);
    };
    await Promise.all(Array.from({ length: APPENDS_AT_ONCE * REALMS.length }, worker));
    return appended / (milliseconds / 1_000);
  } finally {
    await log.close();
    await JetStreamEventLog.discardLog(url, REAL_CLOCK, namespace);
  }
}

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '2' }, runs: { type: 'string', default: '5' } },
});
const url = process.env.NATS_URL;
if (!url) throw new Error('NATS_URL is not set');
const rates = new Map<number, number[]>([1, 3].map((count) => [count, []]));
for (let run = 0; run < Number(values.runs); run++)
  for (const [count, found] of rates) found.push(await measure(url, count, Number(values.seconds) * 1_000));
for (const [count, found] of rates)
  process.stdout.write(
    `${count} streams: ${Math.round(median(found))} appends/s (${found.map(Math.round).join(', ')})\n`,
  );
