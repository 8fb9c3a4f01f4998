/** Files of an export, written in pieces: the same bytes whatever the sizes of the pieces and texts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { FileCopyLimiter } from '../../../src/app/exchange/format/transfers.js';
import { BufferedExportFileWriter } from '../../../src/app/exchange/format/writer.js';
import { ReceiverRowEncoder } from '../../../src/app/exchange/tables/receivers.js';

t.test('texts and bytes come into the file in their order', async (test) => {
  const file = join(test.testdir(), 'file');
  const pieces = fc.array(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.uint8Array({ maxLength: 60 })));
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 4, max: 64 }), async (all, pieceBytes) => {
      const writer = await BufferedExportFileWriter.create(file, pieceBytes);
      for (const one of all) await (typeof one === 'string' ? writer.appendText(one) : writer.appendBytes(one));
      await writer.flushAndClose();
      test.ok(readFileSync(file).equals(Buffer.concat(all.map((one) => Buffer.from(one as string)))));
    }),
    { numRuns: 100 },
  );
});

t.test('a failed write fails the file', { skip: process.platform !== 'linux' }, async (test) => {
  const writer = await BufferedExportFileWriter.create('/dev/full', 16);
  await writer.appendText('a text of sixteen');
  await test.rejects(writer.flushAndClose(), { code: 'ENOSPC' });
});

t.test('rows of receivers are the JSON of their numbers', async (test) => {
  const numbers = fc.oneof(fc.nat(), fc.maxSafeNat());
  const messages = fc.array(fc.tuple(numbers, fc.array(fc.tuple(numbers, fc.nat(4_095)), { maxLength: 20 })));
  await fc.assert(
    fc.asyncProperty(messages, async (all) => {
      const encoder = new ReceiverRowEncoder();
      const users = [...new Set(all.flatMap(([, rows]) => rows.map(([user]) => user)))];
      for (const [position, user] of users.entries()) encoder.addUser(position, user);
      let text = '';
      const expected: unknown[] = [];
      for (const [message, rows] of all) {
        encoder.beginMessage(message);
        for (const [user, mask] of rows) {
          encoder.addRow(users.indexOf(user), mask);
          expected.push({ id: expected.length + 1, user_profile: user, message, flags_mask: mask });
        }
        text += Buffer.from(encoder.takeBytes()).toString('latin1');
      }
      test.strictSame(JSON.parse(`[${text}]`), expected);
    }),
    { numRuns: 100 },
  );
});

t.test('a message with thousands of receivers has all rows', async (test) => {
  const encoder = new ReceiverRowEncoder();
  for (let user = 1; user <= 5_000; user++) encoder.addUser(user, user);
  encoder.beginMessage(7);
  for (let user = 1; user <= 5_000; user++) encoder.addRow(user, 1);
  const rows = JSON.parse(`[${Buffer.from(encoder.takeBytes()).toString('latin1')}]`) as { user_profile: number }[];
  test.strictSame(
    rows.map(({ user_profile }) => user_profile),
    Array.from({ length: 5_000 }, (_, i) => i + 1),
  );
});

t.test('large files are copied one at a time, small ones together', async (test) => {
  const limiter = new FileCopyLimiter();
  let running = 0;
  const runningAtOnce = async (size: number): Promise<number> => {
    const counts = await Promise.all(
      [1, 2, 3].map(() =>
        limiter.runCopy(size, async () => {
          const count = ++running;
          await new Promise(setImmediate);
          running--;
          return count;
        }),
      ),
    );
    return Math.max(...counts);
  };
  test.equal(await runningAtOnce(100), 3);
  test.equal(await runningAtOnce(5_000_000), 1);
});
