/** Cases of one kind of request in a closed loop, by the ten subscribers of a stream. */
import { type Bench, SHARED_STREAM } from '../case.js';
import { requestOnce } from '../connection.js';
import { rateCase } from '../measure-rate.js';
import { type Account, makeMessageQueues, meRequest, pollEvents, presenceRequest, sendRequest } from '../prepare.js';

/** @returns the size of a message's event, which is about that of the stored record, bytes */
async function measureEventBytes({ face }: Bench, { authorization }: Account): Promise<number> {
  const [poll] = await makeMessageQueues(face, [{ id: 0, email: '', authorization }], 1);
  const sent = await requestOnce(face.port, sendRequest(authorization, SHARED_STREAM));
  if (!sent.ok) throw new Error(sent.text);
  return Buffer.byteLength(JSON.stringify((await pollEvents(face.port, poll!))[0]));
}

export const me = rateCase({
  name: 'me',
  about: 'GET /users/me',
  title: '`GET /users/me`',
  makeRequest: meRequest,
});

export const send = rateCase({
  name: 'send',
  about: 'POST /messages to a stream with ten subscribers',
  title: '`POST /messages`',
  isActorCommand: true,
  makeRequest: sendRequest,
  storedBytes: measureEventBytes,
});

export const ping = rateCase({
  name: 'ping',
  about: 'POST /users/me/presence with ping_only, whose answer has no list',
  title: '`POST /users/me/presence`, ping_only',
  isActorCommand: true,
  makeRequest: (of) => presenceRequest(of, true),
});

export const presence = rateCase({
  name: 'presence',
  about: 'POST /users/me/presence with the list of presences in the slim format',
  title: '`POST /users/me/presence`, slim',
  isActorCommand: true,
  makeRequest: (of) => presenceRequest(of, false),
});
