/** A realistic organization: subscriptions to some streams, groups, linkifiers, profile fields, drafts, statuses. */

import type { Face } from './faces.js';
import { type Account, call, makeAccounts, makeStream, mapInParallel } from './prepare.js';

export interface Organization {
  readonly accounts: readonly Account[];
  readonly streams: readonly string[];
}

export const streamName = (n: number): string => `team ${n}`;

/** Whether a person is subscribed to a stream: all people to the first stream, two thirds to each other one. */
export const isSubscribed = (person: number, stream: number): boolean => stream === 0 || (person + stream) % 3 !== 0;

const json = (value: unknown): string => JSON.stringify(value);

export async function makeOrganization(face: Face, people: number, streams: number): Promise<Organization> {
  const accounts = await makeAccounts(face, 1, people);
  const names = Array.from({ length: streams }, (_, i) => streamName(i));
  for (const [i, name] of names.entries()) {
    await makeStream(
      face,
      name,
      accounts.filter((_, person) => isSubscribed(person, i)),
    );
  }
  const asOwner = (path: string, form: Readonly<Record<string, string>>) => call(face, face.owner, path, form);
  for (let i = 0; i < 4; i++) {
    const members = json(accounts.filter((_, person) => person % 4 === i).map(({ id }) => id));
    await asOwner('/user_groups/create', { name: `group ${i}`, description: `People of part ${i}`, members });
  }
  for (const name of ['GH', 'OPS', 'BUG']) {
    const url_template = `https://tickets.example.com/${name}/{id}`;
    await asOwner('/realm/filters', { pattern: `${name}-(?P<id>[0-9]+)`, url_template });
  }
  const field = await asOwner('/realm/profile_fields', { name: 'Phone', field_type: '1', hint: 'With country code' });
  await mapInParallel(accounts, async ({ id, authorization }) => {
    const asThem = (path: string, form: Readonly<Record<string, string>>) => call(face, authorization, path, form);
    const profile = json([{ id: field.id, value: '+49 30 1234567' }]);
    await asThem('/users/me/profile_data', { method: 'PATCH', data: profile });
    const draft = { type: 'private', to: [id], topic: '', content: 'Not finished yet: see **below**.' };
    await asThem('/drafts', { drafts: json([draft, { ...draft, content: 'Lunch?' }]) });
    await asThem('/users/me/status', { status_text: 'At work' });
    await asThem('/users/me/presence', { status: 'active', slim_presence: 'true' });
  });
  return { accounts, streams: names };
}
