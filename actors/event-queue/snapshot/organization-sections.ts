/** What the organization has besides people and streams, as register shows it (register.md § fetch_event_types). */
import type { Fields, JsonObject } from '#base';
import {
  encodedGroups,
  FIELD_TYPES,
  newAccountSettings,
  presentDomain,
  presentField,
  presentLinkifier,
  presentPlayground,
  withoutPronouns,
} from '#domain/people';
import { EMOJISET_CHOICES, NOTIFICATION_SOUNDS } from '#model';
import type { SnapshotInputs } from './take.js';

export const groupsSection = ({ directory }: SnapshotInputs): Fields => ({
  realm_user_groups: encodedGroups(directory),
});

/** Clients that do not know templates get none. */
export const linkifiersSection = ({ directory, args }: SnapshotInputs): JsonObject => ({
  realm_linkifiers: args.options.capabilities.linkifier_url_template
    ? directory.linkifiers().map(presentLinkifier)
    : [],
});

export const playgroundsSection = ({ directory }: SnapshotInputs): JsonObject => ({
  realm_playgrounds: directory.playgrounds().map(presentPlayground),
});

export const domainsSection = ({ directory }: SnapshotInputs): JsonObject => ({
  realm_domains: directory.domains().map(presentDomain),
});
/** Clients that do not know pronouns are told of none. */
export function profileFieldsSection({ directory, args }: SnapshotInputs): JsonObject {
  const fields = directory.profileFields().map(presentField);
  if (args.options.pronouns) return { custom_profile_fields: fields, custom_profile_field_types: FIELD_TYPES };
  const { PRONOUNS: _, ...types } = FIELD_TYPES;
  return { custom_profile_fields: withoutPronouns(fields), custom_profile_field_types: types };
}

export const settingsDefaultsSection = ({ directory }: SnapshotInputs): JsonObject => ({
  realm_user_settings_defaults: {
    ...newAccountSettings(directory),
    emojiset_choices: EMOJISET_CHOICES,
    available_notification_sounds: NOTIFICATION_SOUNDS,
  },
});
