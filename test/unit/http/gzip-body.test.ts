import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { DeflatePool, GzipBodyComposer } from '../../../src/frontend/http/gzip.js';
import type { ResponseBodyPart } from '../../../src/frontend/http/server.js';

/** Counts jobs and deflated bytes. */
class Counting extends DeflatePool {
  jobs = 0;
  bytes = 0;

  override tryDeflate(bytes: Uint8Array): Promise<Uint8Array> | undefined {
    this.jobs++;
    this.bytes += bytes.byteLength;
    return super.tryDeflate(bytes);
  }
}

const whole = (parts: readonly ResponseBodyPart[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const json = (n: number): Uint8Array =>
  Buffer.from(JSON.stringify(Array.from({ length: n }, (_, i) => ({ id: i, full_name: `Person ${i}` }))));

async function compressed(bodies: GzipBodyComposer, parts: readonly ResponseBodyPart[]): Promise<Buffer> {
  const blocks = await bodies.tryComposeGzipBody(parts);
  if (!blocks) throw new Error('too much to do');
  return whole(blocks);
}

t.test('any parts decompress to their input, also when parts are repeated', async () => {
  const bodies = new GzipBodyComposer(new DeflatePool(3));
  const part = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.constantFrom('"api_key":"', '","token":"abc"', '"api_key":"x","token":"y"', 'ä'.repeat(700)),
    fc.uint8Array({ maxLength: 3000 }),
    fc.integer({ min: 0, max: 90_000 }).map((n) => Buffer.from('{"a":1},'.repeat(n / 8))),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
      const expected = whole(parts);
      // The second time the large parts are deflated apart, the third time they are cached.
      for (let i = 0; i < 3; i++) {
        if (!gunzipSync(await compressed(bodies, parts)).equals(expected)) return false;
      }
      return true;
    }),
    { numRuns: 150 },
  );
});

t.test('many concurrent bodies of many sizes do not mix', async (t) => {
  const bodies = new GzipBodyComposer(new DeflatePool(3));
  const made = Array.from({ length: 120 }, (_, i) => [`${i}`.repeat(100 + i * i), json(i * 7)]);
  const all = await Promise.all(made.map((parts) => compressed(bodies, parts)));
  for (const [i, bytes] of all.entries()) t.ok(gunzipSync(bytes).equals(whole(made[i]!)), `${i}`);
});

t.test('shared parts are deflated once, and a body made only of them is ready at once', async (t) => {
  const deflating = new Counting(3);
  const bodies = new GzipBodyComposer(deflating);
  const shared = json(2000);
  await compressed(bodies, ['first', shared]);
  await Promise.all(Array.from({ length: 20 }, (_, i) => compressed(bodies, [`the ${i}th`, shared, 'end'])));
  t.equal(deflating.jobs, 2, 'once with the first answer, once for all others');
  const more = bodies.tryComposeGzipBody(['another', shared]);
  t.ok(Array.isArray(more), 'without waiting');
  t.ok(gunzipSync(whole(more as Uint8Array[])).equals(whole(['another', shared])));
});

t.test('the length of an answer says nothing about keys in it', async (t) => {
  const bodies = new GzipBodyComposer(new DeflatePool(3));
  const guess = 'k3Ys7Hq0ZbV9xWm2cRt5yPn8dLf1gJa4';
  const other = 'Qe6uIo3TzXv8NsC1bMw5rKh9pDy2fGj7';
  const body = (key: string, name: string): string =>
    JSON.stringify({ bots: [{ full_name: `the ${guess}`, [name]: key }], text: 'lorem ipsum '.repeat(100) });
  t.not(gzipSync(body(guess, 'api_key')).length, gzipSync(body(other, 'api_key')).length, 'in plain gzip it does');
  for (const name of ['api_key', 'token']) {
    const right = await compressed(bodies, [body(guess, name)]);
    const wrong = await compressed(bodies, [body(other, name)]);
    t.equal(right.length, wrong.length, name);
    t.ok(gunzipSync(wrong).equals(Buffer.from(body(other, name))));
  }
  // The same holds for a shared part.
  const part = Buffer.from(body(other, 'api_key'));
  for (let i = 0; i < 3; i++) t.ok((await compressed(bodies, ['x', part])).includes(other), 'it stands there as it is');
});

t.test('a body above the capacity is left alone, and taken when there is capacity again', async (t) => {
  const deflating = new DeflatePool(1);
  t.equal(deflating.tryDeflate(new Uint8Array(17 * 1024 * 1024)), undefined, 'too large by itself');
  const jobs = [];
  for (;;) {
    const job = deflating.tryDeflate(json(50));
    if (!job) break;
    jobs.push(job);
    if (jobs.length > 2_000) break;
  }
  t.equal(jobs.length, 1_024);
  t.equal(new GzipBodyComposer(deflating).tryComposeGzipBody([json(50)]), undefined);
  await Promise.all(jobs);
  t.ok(await new GzipBodyComposer(deflating).tryComposeGzipBody([json(50)]));
});
