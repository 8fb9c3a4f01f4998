/** E-mail addresses that an organization admits (realm.md § Domains, users.md § POST /users). */

import type { RealmSettings } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryEmailDomain } from '#model/records';

const MAX_DOMAIN_CHARACTERS = 255;

const makeInvalidDomainError = (reason: string): Error => apiError('INVALID_DOMAIN', { reason });

/** Checks the domain of e-mail addresses. @returns the domain, trimmed and in lower case. @throws ApiError */
export function toCheckedEmailDomain(given: string): string {
  const domain = given.trim().toLowerCase();
  if (domain === '') throw makeInvalidDomainError("Domain can't be empty.");
  if (!domain.includes('.')) throw makeInvalidDomainError('Domain must have at least one dot (.)');
  if (domain.length > MAX_DOMAIN_CHARACTERS) throw makeInvalidDomainError('Domain is too long');
  if (domain.startsWith('.') || domain.endsWith('.'))
    throw makeInvalidDomainError('Domain cannot start or end with a dot (.)');
  for (const label of domain.split('.')) {
    if (label === '') throw makeInvalidDomainError("Consecutive '.' are not allowed.");
    if (label.startsWith('-') || label.endsWith('-'))
      throw makeInvalidDomainError("Subdomains cannot start or end with a '-'.");
    if (!/^[a-z0-9-]*$/.test(label))
      throw makeInvalidDomainError("Domain can only have letters, numbers, '.' and '-'s.");
  }
  return domain;
}

/** The domain of an e-mail address, in lower case. */
export const domainOfEmailAddress = (address: string): string =>
  address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** Reason why an organization refuses an e-mail address. Operations have different messages for the same reason. */
export type EmailAddressRefusalReason = 'domain' | 'disposable' | 'plus';

/**
 * Finds out whether an organization admits the domain of an address. The address may be malformed or in use.
 *
 * @param disposable true if the address has a domain of throw-away addresses (`services.disposable`)
 * @returns undefined if the organization admits the address
 */
export function findEmailDomainPolicyProblem(
  address: string,
  settings: Pick<RealmSettings, 'emails_restricted_to_domains' | 'disallow_disposable_email_addresses'>,
  domains: readonly DirectoryEmailDomain[],
  disposable: boolean,
): EmailAddressRefusalReason | undefined {
  // The list of throw-away domains doesn't matter to an organization that names its domains.
  if (!settings.emails_restricted_to_domains) {
    return disposable && settings.disallow_disposable_email_addresses ? 'disposable' : undefined;
  }
  // One mailbox has any number of addresses with a plus, so one person could make any number of accounts.
  if (address.slice(0, address.lastIndexOf('@')).includes('+')) return 'plus';
  const own = domainOfEmailAddress(address);
  const among = ({ domain, allowSubdomains }: DirectoryEmailDomain): boolean =>
    own === domain || (allowSubdomains && own.endsWith(`.${domain}`));
  return domains.some(among) ? undefined : 'domain';
}
