/** Objects of an organization as the API shows them (realm.md). */
import type { DirectoryEmailDomain, DirectoryLinkifier, DirectoryPlayground } from '#model/records';

/** Maximum number of linkifiers: each event about linkifiers has all of them. */
export const MAX_LINKIFIERS = 150;
/** Maximum characters of a pattern or template: each process keeps all linkifiers. */
export const MAX_LINKIFIER_FIELD_CHARACTERS = 1_000;

export const formatLinkifierForApi = ({ id, pattern, urlTemplate }: DirectoryLinkifier) => ({
  id,
  pattern,
  url_template: urlTemplate,
});

/** Maximum number of code playgrounds: each event about playgrounds has all of them, and so has every registration. */
export const MAX_PLAYGROUNDS = 200;
export const MAX_PLAYGROUND_NAME_CHARACTERS = 100;
export const MAX_PLAYGROUND_LANGUAGE_CHARACTERS = 40;
export const MAX_PLAYGROUND_URL_PREFIX_CHARACTERS = 1_000;

export const formatPlaygroundForApi = ({ id, name, language, urlPrefix }: DirectoryPlayground) => ({
  id,
  name,
  highlighter_language: language,
  // Older name of the same field (api/README.md § Names).
  pygments_language: language,
  url_prefix: urlPrefix,
});

export const formatEmailDomainForApi = ({ domain, allowSubdomains }: DirectoryEmailDomain) => ({
  domain,
  allow_subdomains: allowSubdomains,
});
