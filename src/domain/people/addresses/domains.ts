/** Which addresses accounts of an organization may have (realm.md § Domains, users.md § POST /users). */

import type { RealmSettings } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryDomain } from '#model/records';

const MAX_DOMAIN_LENGTH = 255;

const invalid = (reason: string): Error => apiError('INVALID_DOMAIN', { reason });

/** Trimmed and lower-case. @throws ApiError */
export function checkDomain(given: string): string {
  const domain = given.trim().toLowerCase();
  if (domain === '') throw invalid("Domain can't be empty.");
  if (!domain.includes('.')) throw invalid('Domain must have at least one dot (.)');
  if (domain.length > MAX_DOMAIN_LENGTH) throw invalid('Domain is too long');
  if (domain.startsWith('.') || domain.endsWith('.')) throw invalid('Domain cannot start or end with a dot (.)');
  for (const label of domain.split('.')) {
    if (label === '') throw invalid("Consecutive '.' are not allowed.");
    if (label.startsWith('-') || label.endsWith('-')) throw invalid("Subdomains cannot start or end with a '-'.");
    if (!/^[a-z0-9-]*$/.test(label)) throw invalid("Domain can only have letters, numbers, '.' and '-'s.");
  }
  return domain;
}

/** Of an address; lower-case. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** Why the organization admits no account with an address; what is said about it differs from operation to operation. */
export type AddressProblem = 'domain' | 'disposable' | 'plus';

/**
 * Undefined: the organization admits it. Says nothing of whether the address is well-formed or in use.
 * @param disposable whether its domain is one of throw-away addresses (`services.disposable`)
 */
export function addressProblem(
  address: string,
  settings: Pick<RealmSettings, 'emails_restricted_to_domains' | 'disallow_disposable_email_addresses'>,
  domains: readonly DirectoryDomain[],
  disposable: boolean,
): AddressProblem | undefined {
  // An organization that names its domains knows them.
  if (!settings.emails_restricted_to_domains) {
    return disposable && settings.disallow_disposable_email_addresses ? 'disposable' : undefined;
  }
  // One mailbox has any number of them: everybody could have as many accounts.
  if (address.slice(0, address.lastIndexOf('@')).includes('+')) return 'plus';
  const own = domainOf(address);
  const among = ({ domain, allowSubdomains }: DirectoryDomain): boolean =>
    own === domain || (allowSubdomains && own.endsWith(`.${domain}`));
  return domains.some(among) ? undefined : 'domain';
}
