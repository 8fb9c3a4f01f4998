/** Addresses as users type them into an invitation (realm.md § Invitations). */

/**
 * Addresses separated by commas or line breaks, each plain or as `Name <address>`. Duplicates are dropped, ignoring
 * case.
 */
export function parseInviteeEmails(text: string): string[] {
  const found = new Map<string, string>();
  for (const entry of text.split(/[,\n]/)) {
    const from = entry.indexOf('<');
    const to = entry.lastIndexOf('>');
    const address = (from >= 0 && to > from ? entry.slice(from + 1, to) : entry).trim();
    if (address !== '' && !found.has(address.toLowerCase())) found.set(address.toLowerCase(), address);
  }
  return [...found.values()];
}
