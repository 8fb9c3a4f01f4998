/**
 * The bare server: uWebSockets.js answers the same bytes that Conclave answered, with nothing behind it. A GET of
 * /api/v1/events waits for a POST, or for the time that the job sets.
 */
import { loadUwsEngine, type UwsListenSocket, type UwsResponse } from '../../src/frontend/http/uws-module.js';
import type { CeilingAnswers } from './jobs.js';

interface Ready {
  readonly name: string;
  readonly value: string;
  readonly body: Uint8Array;
}

/** All headers in one native call, as the frontend does it. The module adds the length and the date itself. */
function ready(raw: string | undefined): Ready {
  const [head = '', body = ''] = (raw ?? 'HTTP/1.1 200 OK\r\n\r\n').split('\r\n\r\n', 2);
  const own = /^(content-length|date|uwebsockets):/i;
  const block = head
    .split('\r\n')
    .slice(1)
    .filter((line) => !own.test(line))
    .join('\r\n');
  const colon = block.indexOf(': ');
  return { name: block.slice(0, colon), value: block.slice(colon + 2), body: Buffer.from(body) };
}

const { uws } = loadUwsEngine();

let get = ready(undefined);
let post = ready(undefined);
let poll = ready(undefined);
const held = new Set<UwsResponse>();
/** Length of a slice of heartbeats, ms. */
const GRAIN = 250;
const beats = new Map<number, UwsResponse[]>();
let beat: CeilingAnswers['beat'] = null;

function beatLater(res: UwsResponse): void {
  if (!beat) return;
  const slice = Math.ceil((performance.now() + beat.ms + Math.random() * beat.spreadMs) / GRAIN);
  const of = beats.get(slice);
  if (of) of.push(res);
  else beats.set(slice, [res]);
}

let beaten = 0;
setInterval(() => {
  const now = Math.floor(performance.now() / GRAIN);
  for (; beaten < now; beaten++) {
    for (const res of beats.get(beaten) ?? []) if (held.delete(res)) res.cork(() => answer(res, poll));
    beats.delete(beaten);
  }
}, GRAIN);

const answer = (res: UwsResponse, { name, value, body }: Ready): void => {
  if (name !== '') res.writeHeader(name, value);
  res.end(body);
};

const app = uws.App();
app.get('/api/v1/events', (res) => {
  held.add(res);
  beatLater(res);
  res.onAborted(() => held.delete(res));
});
app.get('/*', (res) => answer(res, get));
app.post('/*', (res) => {
  let gone = false;
  res.onAborted(() => {
    gone = true;
  });
  res.onData((_chunk, isLast) => {
    if (!isLast || gone) return;
    res.cork(() => answer(res, post));
    if (held.size === 0) return;
    const waiting = [...held];
    held.clear();
    for (const one of waiting) one.cork(() => answer(one, poll));
  });
});
app.listen('127.0.0.1', 0, 0, (socket: UwsListenSocket | false) => {
  if (!socket) process.exit(1);
  process.send?.({ port: uws.us_socket_local_port(socket) });
});

process.on('message', (answers: CeilingAnswers) => {
  if (answers.get !== undefined) get = ready(answers.get);
  if (answers.post !== undefined) post = ready(answers.post);
  if (answers.poll !== undefined) poll = ready(answers.poll);
  if (answers.beat !== undefined) beat = answers.beat;
  process.send?.({ set: true });
});
process.on('disconnect', () => process.exit(0));
