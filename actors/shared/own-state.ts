/** What only a user's own actor knows, read in one ask: all sections are of one version, which a snapshot can name. */

import type { Json, JsonObject } from '#base';
import type { Draft } from '#domain/messages';
import { FRESH_ACCOUNT, ROLE } from '#domain/people';
import type { Subscription, UserTopic } from '#domain/streams';
import type { RealmId, UserId } from '#model';
import { userId, userKey } from '#model';
import type { OwnSection } from '#model/commands';
import { userCommands } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { InputSources } from '../services.js';

/** Sections by name, as the user actor answers them. */
export interface OwnSections extends Readonly<Record<OwnSection, unknown>> {
  /** Present and former subscriptions, in no particular order. */
  readonly subscriptions: readonly Subscription[];
  /** Newest edit first, as many as registrations show. */
  readonly drafts: readonly Draft[];
  /** As the API shows them: not sent yet, by time. */
  readonly scheduled: readonly JsonObject[];
  /** In no particular order. */
  readonly topics: readonly UserTopic[];
  /** Parts with what was read and marked, by name. */
  readonly reading: readonly (readonly [string, Json])[];
  /** Hints to be shown next. */
  readonly hotspots: readonly JsonObject[];
}

export type OwnState<S extends OwnSection> = Pick<OwnSections, S> & {
  /** Version of the user actor that all sections are of. */
  readonly version: number;
};

export async function readOwnState<S extends OwnSection>(
  realm: RealmId,
  user: UserId,
  sections: readonly S[],
  sources: InputSources,
): Promise<OwnState<S>> {
  return (await sources.ask(userKey(realm, user), userCommands.ownState, { sections })) as unknown as OwnState<S>;
}

/** No account has this id: callers without credentials are 0. */
export const VISITOR: DirectoryUser = {
  id: userId(0),
  recipient: 0,
  deliveryEmail: '',
  email: 'username@example.com',
  fullName: 'Anonymous User',
  ...FRESH_ACCOUNT,
  role: ROLE.guest,
  emailVisibility: 4,
};
