/** Requests of one kind in a closed loop, by the ten accounts of a stream. */
import { type Bench, TEN } from '../case.js';
import { once } from '../connection.js';
import { rateCase } from '../measure.js';
import { type Account, makeQueues, meText, pollEvents, presenceText, sendText } from '../prepare.js';

/** Bytes of the event of a message; the stored record has about the same size. */
async function eventBytes({ face }: Bench, { authorization }: Account): Promise<number> {
  const [poll] = await makeQueues(face, [{ id: 0, email: '', authorization }], 1);
  const sent = await once(face.port, sendText(authorization, TEN));
  if (!sent.ok) throw new Error(sent.text);
  return Buffer.byteLength(JSON.stringify((await pollEvents(face.port, poll!))[0]));
}

export const me = rateCase({
  name: 'me',
  about: 'GET /users/me',
  title: '`GET /users/me`',
  text: meText,
});

export const send = rateCase({
  name: 'send',
  about: 'POST /messages to a stream with ten subscribers',
  title: '`POST /messages`',
  command: true,
  text: sendText,
  stored: eventBytes,
});

export const ping = rateCase({
  name: 'ping',
  about: 'POST /users/me/presence, ping_only',
  title: '`POST /users/me/presence`, ping_only',
  command: true,
  text: (of) => presenceText(of, true),
});

export const presence = rateCase({
  name: 'presence',
  about: 'POST /users/me/presence with the slim list',
  title: '`POST /users/me/presence`, slim',
  command: true,
  text: (of) => presenceText(of, false),
});
