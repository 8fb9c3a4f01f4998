/**
 * Loaded before a test (`node --import`): writes each HTTP request of the process and its answer to the file
 * RECORD_ANSWERS, one JSON text per line. The requests go on unchanged.
 */
import { createHash } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

const file = process.env.RECORD_ANSWERS;
const { request } = http;

/** Length above which a text, such as a file, is recorded as its hash. */
const MAX_CHARACTERS = 100_000;
const shorten = (text) => (text.length > MAX_CHARACTERS ? createHash('sha256').update(text).digest('base64') : text);

/** Records a request and its answer. @param sent, received lists of bytes */
function record({ method, path, headers = {} }, status, sent, received) {
  const [body, text] = [sent, received].map((list) => shorten(Buffer.concat(list).toString('utf8')));
  appendFileSync(file, `${JSON.stringify({ method, path, headers, body, status, text })}\n`);
}

// The tests of newer commits have connections of their own (test/support/http-exchange.ts), those before use node:http.
if (file)
  subscribe('conclave:test-exchange', ({ request, answer }) =>
    record(request, answer.status, [Buffer.from(request.body ?? '')], [answer.bytes]),
  );

http.request = (...args) => {
  const [options, onAnswer] = args;
  // Requests of the server, which runs in the same process, have another form and are not of interest.
  if (options.host !== '127.0.0.1' || typeof onAnswer !== 'function') return request(...args);
  const sent = [];
  const made = request(options, (answer) => {
    const parts = [];
    onAnswer(answer);
    answer.on('data', (part) => parts.push(part));
    answer.on('end', () => record(options, answer.statusCode, sent, parts));
  });
  const { write, end } = made;
  const keep = (part) => {
    if (typeof part === 'string' || part instanceof Uint8Array) sent.push(Buffer.from(part));
  };
  made.write = (part, ...rest) => {
    keep(part);
    return write.call(made, part, ...rest);
  };
  made.end = (part, ...rest) => {
    keep(part);
    return end.call(made, part, ...rest);
  };
  return made;
};

if (file) syncBuiltinESMExports();
