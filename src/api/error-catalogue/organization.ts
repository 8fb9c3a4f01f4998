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
} as const satisfies Record<string, CatalogueEntry>;
