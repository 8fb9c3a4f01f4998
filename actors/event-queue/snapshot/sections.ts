/** fetch_event_types → what makes that part of the response, for everything that the directory alone can answer. */
import type { Fields } from '../../../src/api/encode-fields.js';
import { STOP_WORDS } from '../../../src/messages/index.js';
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
import { defaultStreamsSection, streamGroupsSection } from './stream-sections.js';
import type { SnapshotInputs } from './take.js';

const SECTIONS: Readonly<Record<string, (inputs: SnapshotInputs) => Fields>> = {
  alert_words: alertWordsSection,
  default_streams: defaultStreamsSection,
  default_stream_groups: streamGroupsSection,
  custom_profile_fields: profileFieldsSection,
  muted_users: mutedUsersSection,
  realm_bot: botsSection,
  realm_domains: domainsSection,
  realm_linkifiers: linkifiersSection,
  realm_playgrounds: playgroundsSection,
  realm_user_groups: groupsSection,
  realm_user_settings_defaults: settingsDefaultsSection,
  stop_words: () => ({ stop_words: STOP_WORDS }),
  user_settings: settingsSection,
  user_status: statusSection,
  update_display_settings: displaySection,
  update_global_notifications: notificationsSection,
};

export const directorySections = (inputs: SnapshotInputs, wanted: (section: string) => boolean): Fields[] => [
  ...Object.entries(EMPTY_SECTIONS).flatMap(([name, fields]) => (wanted(name) ? [fields] : [])),
  ...Object.entries(SECTIONS).flatMap(([name, make]) => (wanted(name) ? [make(inputs)] : [])),
];
