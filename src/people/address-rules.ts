/** Which addresses an organization takes (realm.md § Domains). Pure. */
import type { RealmSettings } from '../directory/index.js';

export interface AllowedDomain {
  /** Lower case. */
  readonly domain: string;
  readonly allow_subdomains: boolean;
}

/** What is wrong with an address; the '+' would let one person have many accounts of one domain. */
export type AddressProblem = 'plus' | 'domain';

/** @param address of the right shape */
export function addressProblem(
  address: string,
  settings: RealmSettings,
  domains: readonly AllowedDomain[],
): AddressProblem | undefined {
  if (settings.emails_restricted_to_domains !== true) return undefined;
  const at = address.lastIndexOf('@');
  if (address.slice(0, at).includes('+')) return 'plus';
  const domain = address.slice(at + 1).toLowerCase();
  const fits = (allowed: AllowedDomain): boolean =>
    allowed.domain === domain || (allowed.allow_subdomains && domain.endsWith(`.${allowed.domain}`));
  return domains.some(fits) ? undefined : 'domain';
}
