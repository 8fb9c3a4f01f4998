/**
 * `POST /register` with every section, in an organization of 30 people and 10 streams with some unread messages. Each
 * request makes a durable event queue, which nothing polls afterwards, so it expires.
 */
import { defineCase } from '../case.js';
import { requestText } from '../connection.js';
import type { Face } from '../faces.js';
import { measureRate } from '../measure-rate.js';
import { isSubscribed, makeOrganization, type Organization } from '../organization.js';
import { type Account, call, mapInParallel } from '../prepare.js';

const PEOPLE = 30;
const STREAMS = 10;
const MESSAGES = 600;
/** One of this number of messages is a direct message. */
const DIRECT_MESSAGE_INTERVAL = 5;
/** Share of the messages that are read, from the first on. */
const READ_SHARE = 0.9;

async function makeOrganizationWithUnread(face: Face): Promise<Organization> {
  const organization = await makeOrganization(face, PEOPLE, STREAMS);
  const { accounts, streams } = organization;
  const sendMessage = async (i: number): Promise<void> => {
    const stream = i % STREAMS;
    const people = accounts.filter((_, person) => isSubscribed(person, stream));
    const sender = people[i % people.length]!;
    const to = accounts[(i * 7 + 1) % PEOPLE]!;
    const form =
      i % DIRECT_MESSAGE_INTERVAL === 0
        ? { type: 'direct', to: JSON.stringify([to.id]), content: `A word about **${i}**, please.` }
        : {
            type: 'stream',
            to: streams[stream]!,
            topic: `topic ${i % 17}`,
            content: `Number ${i} is *done*: see #${i}`,
          };
    await call(face, sender.authorization, '/messages', form);
  };
  const numbers = Array.from({ length: MESSAGES }, (_, i) => i);
  const read = Math.floor(MESSAGES * READ_SHARE);
  await mapInParallel(numbers.slice(0, read), sendMessage);
  await mapInParallel(accounts, async ({ authorization }) => {
    await call(face, authorization, '/mark_all_as_read', {});
  });
  await mapInParallel(numbers.slice(read), sendMessage);
  return organization;
}

const makeRegisterRequest = (authorization: string): string =>
  requestText(
    'POST',
    '/api/v1/register',
    authorization,
    new URLSearchParams({
      apply_markdown: 'true',
      client_gravatar: 'true',
      slim_presence: 'true',
      client_capabilities: JSON.stringify({
        notification_settings_null: true,
        bulk_message_deletion: true,
        user_avatar_url_field_optional: true,
        stream_typing_notifications: true,
        user_settings_object: true,
        linkifier_url_template: true,
      }),
    }).toString(),
  );

const CONNECTIONS = 16;

export const register = defineCase<readonly Account[]>({
  name: 'register',
  about: 'POST /register, every section, 30 people in 10 streams, 16 at once',
  server: {},
  prepare: async ({ face }) => (await makeOrganizationWithUnread(face)).accounts,
  measure: (bench, accounts) =>
    measureRate(bench, {
      id: 'register',
      title: '`POST /register`, 30 people',
      requests: accounts.map(({ authorization }) => makeRegisterRequest(authorization)),
      connections: CONNECTIONS,
      cycles: true,
      isActorCommand: true,
    }),
});
