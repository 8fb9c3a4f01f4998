/** From the claims of an ID token, and of the userinfo endpoint, to the identity of a person. */
import type { IdentityProviderConfig } from './config.js';

export interface ExternalIdentity {
  readonly issuer: string;
  /** Name of the person at the issuer, which never changes. */
  readonly subject: string;
  /** Verified address; null: none. */
  readonly email: string | null;
  /** null: unknown. */
  readonly fullName: string | null;
  /** Address of a picture; null: none. */
  readonly avatar: string | null;
  /** null: the provider decides no roles. */
  readonly role: number | null;
}

type Claims = Readonly<Record<string, unknown>>;

const MAX_CLAIM = 1_000;

function textOf(claims: Claims, name: string | null): string | null {
  const value = name === null ? undefined : claims[name];
  if (typeof value !== 'string' || value.length > MAX_CLAIM) return null;
  return value.trim() === '' ? null : value.trim();
}

/** The strongest role among the values of the claim, which is a text or a list of texts. */
function roleOf(claims: Claims, { claims: { role: name }, roles }: IdentityProviderConfig): number | null {
  if (name === null) return null;
  const value = claims[name];
  const values = Array.isArray(value) ? value : [value];
  const known = values.flatMap((one) => (typeof one === 'string' && Object.hasOwn(roles, one) ? [roles[one]!] : []));
  return known.length > 0 ? Math.min(...known) : (roles['*'] ?? null);
}

/** Some claims are missing, so the userinfo endpoint is worth a request. */
export const lacksClaims = (claims: Claims, { claims: names }: IdentityProviderConfig): boolean =>
  [names.email, names.full_name, names.role].some((name) => name !== null && claims[name] === undefined);

export function identityOf(claims: Claims, config: IdentityProviderConfig): ExternalIdentity {
  const verified = claims.email_verified;
  // Some providers send the text 'true'.
  const trusted = verified === true || verified === 'true' || (config.trust_email && verified === undefined);
  return {
    issuer: config.issuer,
    subject: String(claims.sub),
    email: trusted ? textOf(claims, config.claims.email) : null,
    fullName: textOf(claims, config.claims.full_name),
    avatar: textOf(claims, config.claims.avatar),
    role: roleOf(claims, config),
  };
}
