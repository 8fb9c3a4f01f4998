/** Requests of one kind in a closed loop, by the ten accounts of a stream. */
import { rateCase } from '../measure.js';
import { meText, presenceText, sendText, usersText } from '../prepare.js';

export const me = rateCase({
  name: 'me',
  about: 'GET /users/me',
  title: '`GET /users/me`',
  text: meText,
});

export const users = rateCase({
  name: 'users',
  about: 'GET /users',
  title: '`GET /users`',
  text: usersText,
});

export const send = rateCase({
  name: 'send',
  about: 'POST /messages to a stream with ten subscribers',
  title: '`POST /messages`',
  text: sendText,
});

export const ping = rateCase({
  name: 'ping',
  about: 'POST /users/me/presence, ping_only',
  title: '`POST /users/me/presence`, ping_only',
  text: (of) => presenceText(of, true),
});

export const presence = rateCase({
  name: 'presence',
  about: 'POST /users/me/presence with the slim list',
  title: '`POST /users/me/presence`, slim',
  text: (of) => presenceText(of, false),
});
