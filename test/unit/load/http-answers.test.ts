/** The reader of HTTP answers, with answers that the network cuts at any place. */
import fc from 'fast-check';
import t from 'tap';
import { AnswerReader } from '../../support/http-answers.js';

interface TextResponse {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

function read(pieces: readonly Buffer[], keep = true): TextResponse[] {
  const found: TextResponse[] = [];
  const reader = new AnswerReader(keep, ({ status, head, body }) => {
    found.push({ status, head, body: body.toString('latin1') });
  });
  for (const piece of pieces) {
    // A connection reuses the memory of a piece for the next one.
    const shared = Buffer.from(piece);
    reader.push(shared);
    shared.fill(0);
  }
  return found;
}

const bodies = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('latin1'));

const withContentLength = (body: string, status = 200): string =>
  `HTTP/1.1 ${status} Some Reason\r\nX-Test: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

function chunked(body: string, size: number): string {
  let text = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  for (let at = 0; at < body.length; at += size) {
    const part = body.slice(at, at + size);
    text += `${part.length.toString(16)};x=1\r\n${part}\r\n`;
  }
  return `${text}0\r\nTrailer: 1\r\n\r\n`;
}

function cut(text: string, places: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  const at = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return at.slice(1).map((end, i) => bytes.subarray(at[i]!, end));
}

const cuts = fc.array(fc.nat(5_000), { maxLength: 12 });

t.test('answers with a length or in chunks are read in order, wherever the network cuts them', async () => {
  const one = fc.record({ body: bodies, size: fc.integer({ min: 0, max: 50 }) });
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 4 }), cuts, (answers, places) => {
      const text = answers
        .map(({ body, size }) => (size === 0 ? withContentLength(body) : chunked(body, size)))
        .join('');
      const found = read(cut(text, places));
      return JSON.stringify(found.map(({ body }) => body)) === JSON.stringify(answers.map(({ body }) => body));
    }),
  );
});

t.test('a reader that does not keep texts skips those of successes and keeps those of errors', async () => {
  fc.assert(
    fc.property(bodies, bodies, cuts, (good, bad, places) => {
      const [first, second] = read(cut(withContentLength(good) + withContentLength(bad, 400), places), false);
      return first?.body === '' && first.head === '' && second?.status === 400 && second.body === bad;
    }),
  );
});

t.test('answers without a body are read', async (test) => {
  const found = read([
    Buffer.from('HTTP/1.1 204 No Content\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
  ]);
  test.strictSame(
    found.map(({ status, head }) => [status, head]),
    [
      [204, 'A: b'],
      [200, 'Content-Length: 0'],
    ],
  );
});

t.test('text that is not HTTP is refused', async (test) => {
  test.throws(() => read([Buffer.from('SSH-2.0-OpenSSH_9.2\r\n\r\n')]));
  test.throws(() => read([Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n')]));
  test.throws(() => read([Buffer.alloc(100_000, 'x')]));
});
