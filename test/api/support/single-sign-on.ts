/** A browser that signs in at a provider of identities, step by step. */
import type { TestIdentityProvider } from '../../support/identity-provider.js';
import { Client } from './client.js';
import type { RawAnswer } from './http.js';
import type { Organization } from './organization.js';

const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const cookiesIn = (lines: readonly string[]): string => lines.map((line) => line.split(';')[0]).join('; ');

/** Where an answer leads. */
export const locationOf = ({ headers }: RawAnswer): string => String(headers.location ?? '');

export const cookieOf = ({ headers }: RawAnswer): string => cookiesIn([headers['set-cookie'] ?? []].flat());

/** Host of the organization's pages. */
export const hostOf = ({ subdomain }: Organization): string => `${subdomain}.localhost`;

export function open(org: Organization, path: string, cookie = '', host = hostOf(org)): Promise<RawAnswer> {
  const by = new Client(org.server, 'nobody', {
    host,
    'user-agent': USER_AGENT,
    'sec-fetch-site': 'cross-site',
    ...(cookie === '' ? {} : { cookie }),
  });
  return by.raw({ method: 'GET', path });
}

/** Begins a sign-in. @param query with the question mark */
export async function begin(org: Organization, provider: string, query = '') {
  const answer = await open(org, `/accounts/login/oidc/${provider}${query}`);
  return { answer, url: locationOf(answer), cookie: cookieOf(answer) };
}

/** Signs in at the provider. @returns the address to which the browser is sent back */
export async function signInAtProvider(idp: TestIdentityProvider, url: string, login: string): Promise<URL> {
  const jar = new Map<string, string>();
  const visit = async (address: string, init: RequestInit = {}): Promise<string> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(new URL(address, idp.issuer), { ...init, redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const next = answer.headers.get('location');
    if (next === null) throw new Error(`${answer.status} ${await answer.text()}`);
    return next;
  };
  const page = await visit(url);
  const resume = await visit(page, { method: 'POST', body: new URLSearchParams({ login }) });
  return new URL(await visit(resume), idp.issuer);
}

/** A whole sign-in. @returns the answer to the browser that comes back */
export async function signInBy(
  org: Organization,
  idp: TestIdentityProvider,
  provider: string,
  login: string,
  query = '',
): Promise<RawAnswer> {
  const { url, cookie } = await begin(org, provider, query);
  const back = await signInAtProvider(idp, url, login);
  return open(org, back.pathname + back.search, cookie);
}
