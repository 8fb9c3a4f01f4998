/**
 * Reads sections of state that only a user's own actor has, by one command. The stand-in account of visitors is here,
 * too.
 */

import type { Json, JsonObject } from '#base';
import type { Draft } from '#domain/messages';
import { NEW_ACCOUNT_FIELDS, ROLE } from '#domain/people';
import type { Subscription, UserTopic } from '#domain/streams';
import { type RealmId, type UserId, userId, userKey } from '#model';
import { type OwnStateSection, userCommands } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { InputSources } from '../services.js';

/** Sections by name, as the user actor returns them. */
export interface OwnSections extends Readonly<Record<OwnStateSection, unknown>> {
  /** Present and former subscriptions, in no particular order. */
  readonly subscriptions: readonly Subscription[];
  /** Drafts, newest edit first, as many as a registration contains. */
  readonly drafts: readonly Draft[];
  /** Scheduled messages that are not sent yet, ordered by time, as the API shows them. */
  readonly scheduled: readonly JsonObject[];
  /** The user's topic policies, in no particular order. */
  readonly topics: readonly UserTopic[];
  /** Parts that hold the read state and the marks, by part name. */
  readonly reading: readonly (readonly [string, Json])[];
  /** Hints for new users that are to be shown next. */
  readonly hotspots: readonly JsonObject[];
}

export type OwnState<S extends OwnStateSection> = Pick<OwnSections, S> & {
  /** Version of the user actor; all sections are of this one version, which a snapshot names. */
  readonly version: number;
};

export async function readOwnState<S extends OwnStateSection>(
  realm: RealmId,
  user: UserId,
  sections: readonly S[],
  sources: InputSources,
): Promise<OwnState<S>> {
  return (await sources.ask(userKey(realm, user), userCommands.ownState, { sections })) as unknown as OwnState<S>;
}

/** Account of callers without credentials. Its id is 0, which no real account has. */
export const VISITOR_ACCOUNT: DirectoryUser = {
  id: userId(0),
  recipient: 0,
  deliveryEmail: '',
  email: 'username@example.com',
  fullName: 'Anonymous User',
  ...NEW_ACCOUNT_FIELDS,
  role: ROLE.guest,
  emailVisibility: 4,
};
