/** What only a user's own actor knows, read in one ask: all sections are of one version, which a snapshot can name. */
import type { Json, JsonObject } from '#base';
import type { Draft } from '#domain/messages';
import type { Subscription, UserTopic } from '#domain/streams';
import { type RealmId, type UserId, userKey } from '#model';
import type { InputSources } from '../services.js';

/** Sections by name, as the user actor answers them. */
export interface OwnSections {
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

export type OwnSection = keyof OwnSections;

export interface OwnStateArgs extends JsonObject {
  readonly sections: readonly OwnSection[];
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
  const args: OwnStateArgs = { sections };
  return (await sources.ask(userKey(realm, user), 'own-state', args)) as unknown as OwnState<S>;
}
