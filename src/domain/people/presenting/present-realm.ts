/** Objects of an organization as the API shows them (realm.md). */
import type { DirectoryEmailDomain, DirectoryLinkifier, DirectoryPlayground } from '#model/records';

export const formatLinkifierForApi = ({ id, pattern, urlTemplate }: DirectoryLinkifier) => ({
  id,
  pattern,
  url_template: urlTemplate,
});

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
