/** Settings of the organization (realm.md). */
import { bad, type CatalogueEntry } from './entry.js';

export const organization = {
  /** Objects with several fields: what is wrong with each. */
  INVALID_FIELDS: { code: 'BAD_REQUEST', status: 400, msg: '{message}', data: ['errors'] },
  INVALID_LANGUAGE: bad("Invalid language '{language}'"),
  NO_LOGIN_METHOD: bad('At least one authentication method must be enabled.'),
  INVALID_VIDEO_PROVIDER: bad('Invalid video_chat_provider {id}'),
  INVALID_GIPHY_RATING: bad('Invalid giphy_rating {id}'),
  DEMO_ONLY: bad('Must be a demo organization.'),
  LINKIFIER_NOT_FOUND: bad('Linkifier not found.'),
  INVALID_PLAYGROUND: bad('Invalid playground'),
  PLAYGROUND_LANGUAGE: bad('Invalid characters in pygments language'),
  INVALID_DOMAIN: bad('Invalid domain: {reason}'),
  DOMAIN_EXISTS: bad('The domain {domain} is already a part of your organization.'),
  NO_SUCH_DOMAIN: bad('No entry found for domain {domain}.'),
  USER_AGENT_MISSING: bad('User-Agent header missing from request'),
  CLIENT_TOO_OLD: bad('Client is too old'),
  PROFILE_SUMMARY_FULL: bad('Only {n} custom profile fields can be displayed in the profile summary.'),
  PROFILE_FIELD_NO_CHOICE: bad('Field must have at least one choice.'),
  PROFILE_CHOICE_BLANK: bad("'value' cannot be blank."),
  PROFILE_CHOICE_TWICE: bad('Field must not have duplicate choices.'),
  PROFILE_ACCOUNT_TYPE: bad('Invalid external account type'),
  PROFILE_ACCOUNT_PATTERN: bad('Custom external account must define URL pattern'),
  PROFILE_URL_PATTERN: bad("URL pattern must contain '%(username)s'."),
  PROFILE_LABEL_BLANK: bad('Label cannot be blank.'),
  PROFILE_LABEL_TAKEN: bad('A field with that label already exists.'),
  PROFILE_FIELD_TYPE: bad('Invalid field type.'),
  PROFILE_FIELD_NOT_IN_SUMMARY: bad('Field type not supported for display in profile summary.'),
  PROFILE_FIELD_FIXED: bad('Default custom field cannot be updated.'),
  PROFILE_FIELD_ORDER: bad('Invalid order mapping.'),
} as const satisfies Record<string, CatalogueEntry>;
