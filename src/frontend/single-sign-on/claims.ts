/** Reads the identity of a person from the claims of an ID token and of the userinfo endpoint. */
import type { IdentityProviderConfig } from './config.js';

export interface ExternalIdentity {
  readonly issuer: string;
  /** Id of the person at the issuer (claim `sub`), which never changes. */
  readonly subject: string;
  /** E-mail address that the issuer has verified; null if there is none. */
  readonly email: string | null;
  /** Full name of the person; null if unknown. */
  readonly fullName: string | null;
  /** URL of the person's picture; null if there is none. */
  readonly avatar: string | null;
  /** Role that the provider assigns; null if the provider assigns no roles. */
  readonly role: number | null;
}

type IdentityClaims = Readonly<Record<string, unknown>>;

const MAX_CLAIM_CHARACTERS = 1_000;

function textOfClaim(claims: IdentityClaims, name: string | null): string | null {
  const value = name === null ? undefined : claims[name];
  if (typeof value !== 'string' || value.length > MAX_CLAIM_CHARACTERS) return null;
  return value.trim() === '' ? null : value.trim();
}

/** Returns the strongest role among the values of the role claim, which is a text or a list of texts. */
function roleOfClaims(
  claims: IdentityClaims,
  { claims: { role: name }, roles }: IdentityProviderConfig,
): number | null {
  if (name === null) return null;
  const value = claims[name];
  const values = Array.isArray(value) ? value : [value];
  const known = values.flatMap((one) => (typeof one === 'string' && Object.hasOwn(roles, one) ? [roles[one]!] : []));
  return known.length > 0 ? Math.min(...known) : (roles['*'] ?? null);
}

/** True if claims are missing, so that a request to the userinfo endpoint is necessary. */
export const lacksIdentityClaims = (claims: IdentityClaims, { claims: names }: IdentityProviderConfig): boolean =>
  [names.email, names.full_name, names.role].some((name) => name !== null && claims[name] === undefined);

/**
 * Finds the address that the provider vouches for. The claim `email_verified` is about the claim `email` alone (section
 * 5.1 of OpenID Connect Core), so an address in another claim counts as verified only if it is the same one.
 */
function verifiedEmailOfClaims(claims: IdentityClaims, config: IdentityProviderConfig): string | null {
  const email = textOfClaim(claims, config.claims.email);
  const verified = claims.email_verified;
  // Some providers send the text 'true' instead of the boolean.
  const isTrue = verified === true || verified === 'true';
  if (verified !== undefined && !isTrue) return null;
  const isAboutEmail = email?.toLowerCase() === textOfClaim(claims, 'email')?.toLowerCase();
  return (isTrue && isAboutEmail) || config.trust_email ? email : null;
}

export function makeExternalIdentity(claims: IdentityClaims, config: IdentityProviderConfig): ExternalIdentity {
  return {
    issuer: config.issuer,
    subject: String(claims.sub),
    email: verifiedEmailOfClaims(claims, config),
    fullName: textOfClaim(claims, config.claims.full_name),
    avatar: textOfClaim(claims, config.claims.avatar),
    role: roleOfClaims(claims, config),
  };
}
