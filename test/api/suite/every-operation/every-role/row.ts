/** The parts of a table of operations by role. */

import type { Params } from '../../../support/client.js';
import type { Organization, Person } from '../../../support/organization.js';

export interface Row {
  readonly operation: string;
  /** Makes the object of the call. */
  params(by: Person, world: World): Params | Promise<Params>;
  /** Refusals by role; the other roles succeed. */
  readonly refused?: Readonly<Record<string, string>>;
}

export interface World {
  readonly org: Organization;
  /** A stream with all users in it. */
  readonly stream: number;
}

export const NO_GUESTS = 'Not allowed for guest users';
const ADMINS = 'Must be an organization administrator';
const OWNERS = 'Must be an organization owner';
export const ownersOnly = { admin: OWNERS, moderator: OWNERS, member: OWNERS, other: OWNERS, guest: OWNERS };
export const adminsOnly = { moderator: ADMINS, member: ADMINS, other: ADMINS, guest: ADMINS };

export const everybody = (msg: string) =>
  Object.fromEntries(['owner', 'admin', 'moderator', 'member', 'other', 'guest', 'bot'].map((role) => [role, msg]));

let made = 0;
/** A name that is not in use. */
export const fresh = (): string => `of every role ${++made}`;
