/** Domains of throw-away addresses. The operator supplies the list, because such lists go stale within weeks. */

/** True if the domain (lower-case), or a domain above it, is listed as one of throw-away addresses. */
export type IsDisposableDomain = (domain: string) => boolean;

/** Parses the operator's list of disposable domains. @param text one domain per line; a # begins a comment */
export function makeDisposableDomainTest(text: string): IsDisposableDomain {
  const listed = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const domain = line.replace(/#.*/, '').trim().toLowerCase();
    if (domain !== '') listed.add(domain);
  }
  return (domain) => {
    for (let from = 0; ; ) {
      if (listed.has(domain.slice(from))) return true;
      from = domain.indexOf('.', from) + 1;
      if (from === 0) return false;
    }
  };
}
