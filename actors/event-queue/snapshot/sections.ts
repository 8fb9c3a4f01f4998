/** Table of the sections that the directory alone can answer: fetch_event_types → function that makes the section. */

import { encodeFieldParts, type JsonObject, memoizeByObject, type ResponseFields } from '#base';
import { presentCustomEmoji } from '#domain/emoji';
import { STOP_WORDS } from '#domain/messages';
import { isGuest } from '#domain/people';
import type { DirectoryView } from '#model/records';
import type { IsSectionWanted, SnapshotInputs } from './inputs.js';
import {
  domainsSection,
  groupsSection,
  linkifiersSection,
  playgroundsSection,
  profileFieldsSection,
  realmSection,
  settingsDefaultsSection,
} from './organization-sections.js';
import { botsSection } from './people-sections.js';
import {
  alertWordsSection,
  displaySection,
  mutedUsersSection,
  notificationsSection,
  settingsSection,
  statusSection,
} from './preference-sections.js';
import { defaultStreamsSection, streamGroupsSection } from './stream-sections.js';

type Section = (inputs: SnapshotInputs) => ResponseFields;

/** Sections of features that no operation offers yet: they are empty in every organization. */
const EMPTY: Readonly<Record<string, JsonObject>> = {
  realm_filters: { realm_filters: [] },
  realm_embedded_bots: { realm_embedded_bots: [] },
  realm_incoming_webhook_bots: { realm_incoming_webhook_bots: [] },
  video_calls: { has_zoom_token: false },
  giphy: { giphy_api_key: '' },
};

/** Sections that are the same for all users, except for the differences in `variantOf`. */
const SHARED: Readonly<Record<string, Section>> = {
  ...Object.fromEntries(Object.entries(EMPTY).map(([name, fields]) => [name, () => fields])),
  realm: realmSection,
  default_streams: defaultStreamsSection,
  default_stream_groups: streamGroupsSection,
  custom_profile_fields: profileFieldsSection,
  realm_domains: domainsSection,
  realm_emoji: ({ directory }) => ({ realm_emoji: presentCustomEmoji(directory.emoji()) }),
  realm_linkifiers: linkifiersSection,
  realm_playgrounds: playgroundsSection,
  realm_user_groups: groupsSection,
  realm_user_settings_defaults: settingsDefaultsSection,
  stop_words: () => ({ stop_words: STOP_WORDS }),
  user_status: statusSection,
};

/** Sections that differ from user to user. */
const PERSONAL: Readonly<Record<string, Section>> = {
  alert_words: alertWordsSection,
  muted_users: mutedUsersSection,
  realm_bot: botsSection,
  user_settings: settingsSection,
  update_display_settings: displaySection,
  update_global_notifications: notificationsSection,
};

const makeAll = (
  sections: Readonly<Record<string, Section>>,
  inputs: SnapshotInputs,
  wanted: IsSectionWanted,
): ResponseFields[] => Object.entries(sections).flatMap(([name, make]) => (wanted(name) ? [make(inputs)] : []));

export const makePersonalSections = (inputs: SnapshotInputs, wanted: IsSectionWanted): ResponseFields[] =>
  makeAll(PERSONAL, inputs, wanted);

/** The shared sections as objects, not encoded. */
export const makeSharedSections = (inputs: SnapshotInputs, wanted: IsSectionWanted): ResponseFields[] =>
  makeAll(SHARED, inputs, wanted);

/** Maximum number of encoded variants per directory in memory. Few are needed: clients of one kind register alike. */
const MAX_VARIANTS = 32;

/**
 * Encoded variants by key, cached per version of the directory. The first message of a stream raises `streamsVersion`
 * only, so it is part of the version.
 */
const cached = memoizeByObject(
  (_directory: DirectoryView) => new Map<string, readonly Uint8Array[]>(),
  ({ version, streamsVersion }) => `${version}/${streamsVersion}`,
);

/** Key of the encoded variant: everything besides the directory on which the shared sections depend. */
const variantOf = ({ user, args }: SnapshotInputs): string => {
  const { options, fetch, origin, site, webPublicStreams } = args;
  const { linkifier_url_template } = options.capabilities;
  return JSON.stringify([
    fetch,
    isGuest(user),
    options.pronouns,
    linkifier_url_template,
    origin,
    site,
    webPublicStreams,
  ]);
};

/** The shared sections, encoded once per variant until the directory changes. */
export function encodeSharedSections(inputs: SnapshotInputs, wanted: IsSectionWanted): readonly Uint8Array[] {
  const variants = cached(inputs.directory);
  const name = variantOf(inputs);
  let parts = variants.get(name);
  if (!parts) {
    parts = [Buffer.concat(makeSharedSections(inputs, wanted).flatMap(encodeFieldParts))];
    if (variants.size >= MAX_VARIANTS) variants.clear();
    variants.set(name, parts);
  }
  return parts;
}
