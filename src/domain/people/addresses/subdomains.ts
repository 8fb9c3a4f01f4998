/** Rules for subdomains of organizations (conventions.md § Limits). */

const MIN_SUBDOMAIN_CHARACTERS = 3;
const MAX_SUBDOMAIN_CHARACTERS = 40;

/** Reason, in words, why a name hasn't the form of a subdomain; undefined if it has. Other rules are not checked. */
export function findSubdomainProblemText(name: string): string | undefined {
  if (name.length < MIN_SUBDOMAIN_CHARACTERS || name.length > MAX_SUBDOMAIN_CHARACTERS)
    return `A subdomain has ${MIN_SUBDOMAIN_CHARACTERS} to ${MAX_SUBDOMAIN_CHARACTERS} characters.`;
  if (!/^[a-z0-9-]*$/.test(name)) return 'A subdomain has only lower-case letters, digits and hyphens.';
  if (name.startsWith('-') || name.endsWith('-')) return 'A subdomain neither starts nor ends with a hyphen.';
  return undefined;
}
