/**
 * Reads sections of state that only a user's own actor has, by one command. Visitors without an account get the state
 * of a stand-in account.
 */

import type { Json, JsonObject } from '#base';
import type { Draft, SavedSnippet } from '#domain/messages';
import { NEW_HUMAN_MEMBER_DEFAULTS, USER_ROLE } from '#domain/people';
import type { Subscription, UserTopicPolicy } from '#domain/streams';
import { type RealmId, toUserId, type UserId, userActorKey } from '#model';
import { type OwnStateSection, userActorCommands } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { ActorInputSources } from '../services.js';

/** Sections by name, as the user actor returns them. */
export interface OwnStateSections extends Readonly<Record<OwnStateSection, unknown>> {
  /** Present and former subscriptions, in no particular order. */
  readonly subscriptions: readonly Subscription[];
  /** Drafts, newest edit first, as many as a registration contains. */
  readonly drafts: readonly Draft[];
  /** Saved snippets, oldest first. */
  readonly snippets: readonly SavedSnippet[];
  /** Scheduled messages that are not sent yet, ordered by time, as the API shows them. */
  readonly scheduled: readonly JsonObject[];
  /** The user's topic policies, in no particular order. */
  readonly topics: readonly UserTopicPolicy[];
  /** Parts that hold the read state and the marks, by part name. */
  readonly reading: readonly (readonly [string, Json])[];
  /** Hints for new users that are to be shown next. */
  readonly hotspots: readonly JsonObject[];
}

export type UserOwnState<S extends OwnStateSection> = Pick<OwnStateSections, S> & {
  /** Version of the user actor; all sections are of this one version, which a snapshot names. */
  readonly version: number;
};

export async function readUserOwnState<S extends OwnStateSection>(
  realm: RealmId,
  user: UserId,
  sections: readonly S[],
  sources: ActorInputSources,
): Promise<UserOwnState<S>> {
  return (await sources.askActor(userActorKey(realm, user), userActorCommands.ownState, {
    sections,
  })) as unknown as UserOwnState<S>;
}

/** Account of callers without credentials. Its id is 0, which no real account has. */
export const VISITOR_ACCOUNT: DirectoryUser = {
  id: toUserId(0),
  recipient: 0,
  deliveryEmail: '',
  email: 'username@example.com',
  fullName: 'Anonymous User',
  ...NEW_HUMAN_MEMBER_DEFAULTS,
  role: USER_ROLE.guest,
  emailVisibility: 4,
};
