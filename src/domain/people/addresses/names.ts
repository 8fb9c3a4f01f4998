/** Rules for names and addresses of people (users.md § User object, § POST /users). */
import { domainToASCII } from 'node:url';
import { hasVisibleCharacter } from '#base';
import { apiError } from '#model/errors';

/** Domain of addresses without a mailbox. It is reserved, so no real address ends in it (RFC 2606). */
export const FAKE_EMAIL_DOMAIN = 'conclave.invalid';

/** True if a mail to the address may arrive: an account of an import has a fake address if the export has none. */
export const isReachableAddress = (address: string): boolean =>
  !address.toLowerCase().endsWith(`@${FAKE_EMAIL_DOMAIN}`);

const FORBIDDEN_NAME_CHARACTER_PATTERN = /[\p{C}*`\\>"@]/u;

/**
 * Checks the full name of an account. @returns the name, trimmed. @throws ApiError if it breaks the rules of users.md
 */
export function toCheckedFullName(name: string): string {
  const trimmed = name.trim();
  const length = [...trimmed].length;
  if (length > 100) throw apiError('NAME_TOO_LONG');
  if (length < 2) throw apiError('NAME_TOO_SHORT');
  if (FORBIDDEN_NAME_CHARACTER_PATTERN.test(trimmed) || !hasVisibleCharacter(trimmed))
    throw apiError('NAME_CHARACTERS');
  if (/\|\d+$/.test(trimmed)) throw apiError('NAME_FORMAT');
  return trimmed;
}

const EMAIL_LOCAL_PART_PATTERN = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const EMAIL_DOMAIN_PATTERN =
  /^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]$|^localhost$/;

/** True if the text has the form of an e-mail address. The mailbox may not exist. */
export function hasEmailAddressForm(address: string): boolean {
  const at = address.lastIndexOf('@');
  return (
    at > 0 &&
    address.length <= 254 &&
    at <= 64 &&
    EMAIL_LOCAL_PART_PATTERN.test(address.slice(0, at)) &&
    EMAIL_DOMAIN_PATTERN.test(address.slice(at + 1))
  );
}

/** True if a text has characters of ASCII only. */
export const isAsciiText = (text: string): boolean => /^\p{ASCII}*$/u.test(text);

/**
 * Writes a domain in ASCII, as mail servers take it: `bücher.example` becomes `xn--bcher-kva.example`. A domain in
 * ASCII, and a text that has no such form, stays as it is.
 */
export const toAsciiDomain = (domain: string): string =>
  isAsciiText(domain) ? domain : domainToASCII(domain) || domain;

/** Writes the domain of an e-mail address in ASCII. */
export function toEmailAddressWithAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@');
  return at < 0 ? address : `${address.slice(0, at + 1)}${toAsciiDomain(address.slice(at + 1))}`;
}

/** Domain of hidden addresses and of bots: the organization's host name, if that is valid in an address. */
export function emailDomainOfOrigin(origin: string): string {
  try {
    const { hostname } = new URL(origin);
    return hasEmailAddressForm(`user@${hostname}`) ? hostname : FAKE_EMAIL_DOMAIN;
  } catch {
    return FAKE_EMAIL_DOMAIN;
  }
}
