/** Table of the sections that the directory alone can answer: fetch_event_types → function that makes the section. */

import { encodeResponseFieldParts, type JsonObject, joinSmallParts, memoizeByObject, type ResponseFields } from '#base';
import { formatCustomEmojiForApi } from '#domain/emoji';
import { INCOMING_INTEGRATIONS } from '#domain/integrations';
import { STOP_WORDS } from '#domain/messages';
import { isGuest } from '#domain/people';
import type { DirectoryView } from '#model/records';
import type { IsSnapshotSectionWanted, RegistrationSnapshotInputs } from './inputs.js';
import { makeSnapshotTranslator } from './levels.js';
import {
  makeEmailDomainsSnapshotSection,
  makeLinkifiersSnapshotSection,
  makePlaygroundsSnapshotSection,
  makeProfileFieldsSnapshotSection,
  makeRealmSnapshotSection,
  makeUserGroupsSnapshotSection,
  makeUserSettingDefaultsSnapshotSection,
} from './organization-sections.js';
import { makeBotsSnapshotSection } from './people-sections.js';
import {
  makeAlertWordsSnapshotSection,
  makeDisplaySettingsSnapshotSection,
  makeMutedUsersSnapshotSection,
  makeNotificationSettingsSnapshotSection,
  makeUserSettingsSnapshotSection,
  makeUserStatusesSnapshotSection,
} from './preference-sections.js';
import { makeDefaultStreamGroupsSnapshotSection, makeDefaultStreamsSnapshotSection } from './stream-sections.js';

type SnapshotSectionMaker = (inputs: RegistrationSnapshotInputs) => ResponseFields;

/** Sections of features that no operation offers yet: they are empty in every organization. */
const UNSUPPORTED_FEATURE_SECTIONS: Readonly<Record<string, JsonObject>> = {
  realm_filters: { realm_filters: [] },
  realm_embedded_bots: { realm_embedded_bots: [] },
  video_calls: { has_zoom_token: false },
  giphy: { giphy_api_key: '' },
};

const INCOMING_WEBHOOKS_SECTION = {
  realm_incoming_webhook_bots: INCOMING_INTEGRATIONS.map(({ name }) => ({ name, config: {} })),
};

/** Sections that are the same for all users, except for the differences in `makeSharedSectionsVariantKey`. */
const SHARED_SECTION_MAKERS: Readonly<Record<string, SnapshotSectionMaker>> = {
  ...Object.fromEntries(Object.entries(UNSUPPORTED_FEATURE_SECTIONS).map(([name, fields]) => [name, () => fields])),
  realm: makeRealmSnapshotSection,
  default_streams: makeDefaultStreamsSnapshotSection,
  default_stream_groups: makeDefaultStreamGroupsSnapshotSection,
  custom_profile_fields: makeProfileFieldsSnapshotSection,
  realm_domains: makeEmailDomainsSnapshotSection,
  realm_incoming_webhook_bots: () => INCOMING_WEBHOOKS_SECTION,
  realm_emoji: ({ directory }) => ({ realm_emoji: formatCustomEmojiForApi(directory.customEmoji()) }),
  realm_linkifiers: makeLinkifiersSnapshotSection,
  realm_playgrounds: makePlaygroundsSnapshotSection,
  realm_user_groups: makeUserGroupsSnapshotSection,
  realm_user_settings_defaults: makeUserSettingDefaultsSnapshotSection,
  stop_words: () => ({ stop_words: STOP_WORDS }),
  user_status: makeUserStatusesSnapshotSection,
};

/** Sections that differ from user to user. */
const PERSONAL_SECTION_MAKERS: Readonly<Record<string, SnapshotSectionMaker>> = {
  alert_words: makeAlertWordsSnapshotSection,
  muted_users: makeMutedUsersSnapshotSection,
  realm_bot: makeBotsSnapshotSection,
  user_settings: makeUserSettingsSnapshotSection,
  update_display_settings: makeDisplaySettingsSnapshotSection,
  update_global_notifications: makeNotificationSettingsSnapshotSection,
};

const makeWantedSections = (
  sections: Readonly<Record<string, SnapshotSectionMaker>>,
  inputs: RegistrationSnapshotInputs,
  wanted: IsSnapshotSectionWanted,
): ResponseFields[] => Object.entries(sections).flatMap(([name, make]) => (wanted(name) ? [make(inputs)] : []));

export const makePersonalSnapshotSections = (
  inputs: RegistrationSnapshotInputs,
  wanted: IsSnapshotSectionWanted,
): ResponseFields[] => makeWantedSections(PERSONAL_SECTION_MAKERS, inputs, wanted);

/** The shared sections as objects, not encoded. */
export const makeSharedSnapshotSections = (
  inputs: RegistrationSnapshotInputs,
  wanted: IsSnapshotSectionWanted,
): ResponseFields[] => makeWantedSections(SHARED_SECTION_MAKERS, inputs, wanted);

/** Maximum number of encoded variants per directory in memory. Few are needed: clients of one kind register alike. */
const MAX_ENCODED_VARIANTS_PER_DIRECTORY = 32;

/**
 * Encoded variants by key, cached per version of the directory. The first message of a stream raises `streamsVersion`
 * only, so it is part of the version.
 */
const encodedSharedVariantsOfDirectory = memoizeByObject(
  (_directory: DirectoryView) => new Map<string, readonly Uint8Array[]>(),
  ({ version, streamsVersion }) => `${version}/${streamsVersion}`,
);

/**
 * Size below which encoded values are joined with their neighbours. Larger ones, such as a group of all members, are
 * shared with the next version of the directory.
 */
const MAX_JOINED_PART_BYTES = 4_096;

/** Key of the encoded variant: everything besides the directory on which the shared sections depend. */
const makeSharedSectionsVariantKey = ({ user, args }: RegistrationSnapshotInputs): string => {
  const { options, fetch, origin, site, webPublicStreams } = args;
  const { linkifier_url_template } = options.capabilities;
  return JSON.stringify([
    fetch,
    isGuest(user),
    options.pronouns,
    options.apiLevel,
    options.takesEmptyTopicName,
    linkifier_url_template,
    origin,
    site,
    webPublicStreams,
  ]);
};

/** The shared sections, encoded once per variant until the directory changes. */
export function encodeSharedSnapshotSections(
  inputs: RegistrationSnapshotInputs,
  wanted: IsSnapshotSectionWanted,
): readonly Uint8Array[] {
  const variants = encodedSharedVariantsOfDirectory(inputs.directory);
  const name = makeSharedSectionsVariantKey(inputs);
  let parts = variants.get(name);
  if (!parts) {
    const sections = makeSharedSnapshotSections(inputs, wanted).map(makeSnapshotTranslator(inputs.args));
    parts = joinSmallParts(sections.flatMap(encodeResponseFieldParts), MAX_JOINED_PART_BYTES);
    if (variants.size >= MAX_ENCODED_VARIANTS_PER_DIRECTORY) variants.clear();
    variants.set(name, parts);
  }
  return parts;
}
