/** Objects of an organization as the API shows them (realm.md). */
import type { DirectoryDomain, DirectoryLinkifier, DirectoryPlayground } from '#model/records';

export const presentLinkifier = ({ id, pattern, urlTemplate }: DirectoryLinkifier) => ({
  id,
  pattern,
  url_template: urlTemplate,
});

export const presentPlayground = ({ id, name, language, urlPrefix }: DirectoryPlayground) => ({
  id,
  name,
  highlighter_language: language,
  // Older name of the same field (api/README.md § Names).
  pygments_language: language,
  url_prefix: urlPrefix,
});

export const presentDomain = ({ domain, allowSubdomains }: DirectoryDomain) => ({
  domain,
  allow_subdomains: allowSubdomains,
});
