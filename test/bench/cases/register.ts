/**
 * POST /register with every section, in a realm of 30 people with 10 streams, some of whose messages are unread. Each
 * makes a durable queue, which is left to rest and expire, as those of clients that never come back.
 */
import { defineCase } from '../case.js';
import { requestText } from '../connection.js';
import type { Face } from '../faces.js';
import { measureRate } from '../measure.js';
import { isIn, makeOrganization, type Organization } from '../organization.js';
import { type Account, call, each } from '../prepare.js';

const PEOPLE = 30;
const STREAMS = 10;
const MESSAGES = 600;
/** Direct messages are one of this number of messages. */
const DIRECT = 5;
/** The first of the messages are read. */
const READ = 0.9;

async function makeRegistering(face: Face): Promise<Organization> {
  const organization = await makeOrganization(face, PEOPLE, STREAMS);
  const { accounts, streams } = organization;
  const say = async (i: number): Promise<void> => {
    const stream = i % STREAMS;
    const people = accounts.filter((_, person) => isIn(person, stream));
    const sender = people[i % people.length]!;
    const to = accounts[(i * 7 + 1) % PEOPLE]!;
    const form =
      i % DIRECT === 0
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
  const read = Math.floor(MESSAGES * READ);
  await each(numbers.slice(0, read), say);
  await each(accounts, async ({ authorization }) => {
    await call(face, authorization, '/mark_all_as_read', {});
  });
  await each(numbers.slice(read), say);
  return organization;
}

const registerText = (authorization: string): string =>
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

const READERS = 16;

export const register = defineCase<readonly Account[]>({
  name: 'register',
  about: 'POST /register, every section, 30 people in 10 streams, 16 at once',
  server: {},
  prepare: async ({ face }) => (await makeRegistering(face)).accounts,
  measure: (bench, accounts) =>
    measureRate(bench, {
      id: 'register',
      title: '`POST /register`, 30 people',
      requests: accounts.map(({ authorization }) => registerText(authorization)),
      connections: READERS,
      turns: true,
      command: true,
    }),
});
