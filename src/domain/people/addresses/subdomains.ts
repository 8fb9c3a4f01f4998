/** Names of organizations in addresses (conventions.md § Limits). */

const SHORTEST = 3;
const LONGEST = 40;

/** Why this can be no organization's subdomain, in words; undefined: it can. */
export function subdomainProblem(name: string): string | undefined {
  if (name.length < SHORTEST || name.length > LONGEST) return `A subdomain has ${SHORTEST} to ${LONGEST} characters.`;
  if (!/^[a-z0-9-]*$/.test(name)) return 'A subdomain has only lower-case letters, digits and hyphens.';
  if (name.startsWith('-') || name.endsWith('-')) return 'A subdomain neither starts nor ends with a hyphen.';
  return undefined;
}
