/** fetch_event_types → what makes that part of the response, for everything that the directory alone can answer. */
import { encodeParts, type Fields, madeOnce } from '#base';
import { presentCustomEmoji } from '#domain/emoji';
import { STOP_WORDS } from '#domain/messages';
import { isGuest } from '#domain/people';
import type { DirectoryView } from '#model/records';
import { botsSection } from './bot-section.js';
import {
  alertWordsSection,
  displaySection,
  mutedUsersSection,
  notificationsSection,
  settingsSection,
  statusSection,
} from './choice-sections.js';
import { EMPTY_SECTIONS } from './empty-sections.js';
import {
  domainsSection,
  groupsSection,
  linkifiersSection,
  playgroundsSection,
  profileFieldsSection,
  settingsDefaultsSection,
} from './organization-sections.js';
import { realmSection } from './realm-section.js';
import { defaultStreamsSection, streamGroupsSection } from './stream-sections.js';
import type { SnapshotInputs } from './take.js';

type Section = (inputs: SnapshotInputs) => Fields;

/** What everybody sees alike, but for those differences that `classOf` names. */
const SHARED: Readonly<Record<string, Section>> = {
  ...Object.fromEntries(Object.entries(EMPTY_SECTIONS).map(([name, fields]) => [name, () => fields])),
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

const PERSONAL: Readonly<Record<string, Section>> = {
  alert_words: alertWordsSection,
  muted_users: mutedUsersSection,
  realm_bot: botsSection,
  user_settings: settingsSection,
  update_display_settings: displaySection,
  update_global_notifications: notificationsSection,
};

const made = (sections: Readonly<Record<string, Section>>, inputs: SnapshotInputs, wanted: Wanted): Fields[] =>
  Object.entries(sections).flatMap(([name, make]) => (wanted(name) ? [make(inputs)] : []));

type Wanted = (section: string) => boolean;

export const personalSections = (inputs: SnapshotInputs, wanted: Wanted): Fields[] => made(PERSONAL, inputs, wanted);

/** Unencoded. */
export const sharedSections = (inputs: SnapshotInputs, wanted: Wanted): Fields[] => made(SHARED, inputs, wanted);

/** Kinds of clients register in a few ways. */
const MOST_CLASSES = 32;

/** Of one version of the directory; first messages of streams come to it without one. */
const known = madeOnce(
  (_directory: DirectoryView) => new Map<string, readonly Uint8Array[]>(),
  ({ version, streamsVersion }) => `${version}/${streamsVersion}`,
);

/** All that the sections above look at besides the directory. */
const classOf = ({ user, args }: SnapshotInputs): string => {
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

/** Encoded once for all who register alike, until the directory changes. */
export function encodedShared(inputs: SnapshotInputs, wanted: Wanted): readonly Uint8Array[] {
  const classes = known(inputs.directory);
  const name = classOf(inputs);
  let parts = classes.get(name);
  if (!parts) {
    parts = [Buffer.concat(sharedSections(inputs, wanted).flatMap(encodeParts))];
    if (classes.size >= MOST_CLASSES) classes.clear();
    classes.set(name, parts);
  }
  return parts;
}
