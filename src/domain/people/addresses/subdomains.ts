/** Rules for subdomains of organizations (conventions.md § Limits). */

const MIN_LENGTH = 3;
const MAX_LENGTH = 40;

/** Reason, in words, why an organization can't have this subdomain. Undefined if it can. */
export function findSubdomainProblem(name: string): string | undefined {
  if (name.length < MIN_LENGTH || name.length > MAX_LENGTH)
    return `A subdomain has ${MIN_LENGTH} to ${MAX_LENGTH} characters.`;
  if (!/^[a-z0-9-]*$/.test(name)) return 'A subdomain has only lower-case letters, digits and hyphens.';
  if (name.startsWith('-') || name.endsWith('-')) return 'A subdomain neither starts nor ends with a hyphen.';
  return undefined;
}
