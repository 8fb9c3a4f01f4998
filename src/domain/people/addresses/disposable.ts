/** Domains of throw-away addresses: a list that whoever runs the server supplies, because such lists go stale in weeks. */

/** Whether addresses of this domain (lower-case) or of one above it are thrown away after use. */
export type DisposableDomains = (domain: string) => boolean;

/** @param text one domain a line; what follows a # is left out */
export function disposableDomains(text: string): DisposableDomains {
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
