/**
 * Bare program for HTTP: uWebSockets.js answers each request with the bytes that Conclave answered, without any other
 * work. A GET of /api/v1/events is a waiting poll: a POST answers all of them, or a heartbeat after a configured time.
 */
import { loadUwsEngine, type UwsListenSocket, type UwsResponse } from '../../src/frontend/http/uws-module.js';
import type { BareHttpAnswers } from './jobs.js';

interface PreparedAnswer {
  readonly name: string;
  readonly value: string;
  readonly body: Uint8Array;
}

/**
 * Prepares an answer for one native call that writes all headers, as Conclave's frontend does. uWebSockets.js adds
 * Content-Length and Date itself.
 */
function prepareAnswer(raw: string | undefined): PreparedAnswer {
  const [head = '', body = ''] = (raw ?? 'HTTP/1.1 200 OK\r\n\r\n').split('\r\n\r\n', 2);
  const addedByUws = /^(content-length|date|uwebsockets):/i;
  const block = head
    .split('\r\n')
    .slice(1)
    .filter((line) => !addedByUws.test(line))
    .join('\r\n');
  const colon = block.indexOf(': ');
  return { name: block.slice(0, colon), value: block.slice(colon + 2), body: Buffer.from(body) };
}

const { uws } = loadUwsEngine();

let getAnswer = prepareAnswer(undefined);
let postAnswer = prepareAnswer(undefined);
let pollAnswer = prepareAnswer(undefined);
const waitingPolls = new Set<UwsResponse>();
/** Length of a slot of the timer for heartbeats, ms: all polls of a slot are answered together. */
const SLOT_MS = 250;
const pollsBySlot = new Map<number, UwsResponse[]>();
let heartbeat: BareHttpAnswers['heartbeat'] = null;

function scheduleHeartbeat(res: UwsResponse): void {
  if (!heartbeat) return;
  const slot = Math.ceil((performance.now() + heartbeat.ms + Math.random() * heartbeat.spreadMs) / SLOT_MS);
  const pollsOfSlot = pollsBySlot.get(slot);
  if (pollsOfSlot) pollsOfSlot.push(res);
  else pollsBySlot.set(slot, [res]);
}

let nextSlot = 0;
setInterval(() => {
  const now = Math.floor(performance.now() / SLOT_MS);
  for (; nextSlot < now; nextSlot++) {
    for (const res of pollsBySlot.get(nextSlot) ?? [])
      if (waitingPolls.delete(res)) res.cork(() => send(res, pollAnswer));
    pollsBySlot.delete(nextSlot);
  }
}, SLOT_MS);

const send = (res: UwsResponse, { name, value, body }: PreparedAnswer): void => {
  if (name !== '') res.writeHeader(name, value);
  res.end(body);
};

const app = uws.App();
app.get('/api/v1/events', (res) => {
  waitingPolls.add(res);
  scheduleHeartbeat(res);
  res.onAborted(() => waitingPolls.delete(res));
});
app.get('/*', (res) => send(res, getAnswer));
app.post('/*', (res) => {
  let isAborted = false;
  res.onAborted(() => {
    isAborted = true;
  });
  res.onData((_chunk, isLast) => {
    if (!isLast || isAborted) return;
    res.cork(() => send(res, postAnswer));
    if (waitingPolls.size === 0) return;
    const waiting = [...waitingPolls];
    waitingPolls.clear();
    for (const one of waiting) one.cork(() => send(one, pollAnswer));
  });
});
app.listen('127.0.0.1', 0, 0, (socket: UwsListenSocket | false) => {
  if (!socket) process.exit(1);
  process.send?.({ port: uws.us_socket_local_port(socket) });
});

process.on('message', (answers: BareHttpAnswers) => {
  if (answers.get !== undefined) getAnswer = prepareAnswer(answers.get);
  if (answers.post !== undefined) postAnswer = prepareAnswer(answers.post);
  if (answers.poll !== undefined) pollAnswer = prepareAnswer(answers.poll);
  if (answers.heartbeat !== undefined) heartbeat = answers.heartbeat;
  process.send?.({ set: true });
});
process.on('disconnect', () => process.exit(0));
