/** GET requests to URLs that users have given, with limits on networks and redirects. */

import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { OutgoingAddressFilter } from '#base';

const REDIRECT_STATUS_CODES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Reason why a GET request brought no response with status 200. */
export type HttpGetFault =
  /** The text is not the URL of a web server. */
  | 'address'
  /** The address filter forbids the host. */
  | 'forbidden'
  /** The server answered 404 or 410. */
  | 'gone'
  /** The server answered another status, or redirected too often. */
  | 'refused';

/** Error of `getOkFollowingRedirects`. Connections that fail reject with the error of Node instead. */
export class HttpGetError extends Error {
  override name = 'HttpGetError';

  constructor(readonly fault: HttpGetFault) {
    super(fault);
  }
}

interface FilteredHttpGetOptions {
  readonly filter: OutgoingAddressFilter;
  /** Signal that ends the request at any time. */
  readonly signal: AbortSignal;
  readonly headers: OutgoingHttpHeaders;
  readonly maxRedirects: number;
}

/**
 * Sends a GET request and follows redirects. The address filter checks each URL.
 *
 * @returns a response with status 200, whose body has not been read, and the URL that gave it
 * @throws HttpGetError, or an error of the connection
 */
export async function getOkFollowingRedirects(
  address: string,
  options: FilteredHttpGetOptions,
): Promise<{ readonly response: IncomingMessage; readonly url: URL }> {
  let url = parseHttpTargetWithoutCredentials(address, undefined);
  for (let hops = 0; hops <= options.maxRedirects; hops++) {
    const response = await sendFilteredHttpGet(url, options);
    const { statusCode: status = 0, headers } = response;
    if (status === 200) return { response, url };
    response.destroy();
    if (!REDIRECT_STATUS_CODES.has(status))
      throw new HttpGetError(status === 404 || status === 410 ? 'gone' : 'refused');
    url = parseHttpTargetWithoutCredentials(headers.location, url);
  }
  throw new HttpGetError('refused');
}

function sendFilteredHttpGet(url: URL, { filter, signal, headers }: FilteredHttpGetOptions): Promise<IncomingMessage> {
  if (!filter.allowsUrlBeforeLookup(url)) throw new HttpGetError('forbidden');
  return new Promise((resolve, reject) => {
    const options = { agent: false, lookup: filter.lookupAllowedAddresses, signal, headers };
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options);
    // The listener for errors is never removed: an aborted request may still report an error later.
    request.on('error', reject);
    request.on('response', resolve);
    request.end();
  });
}

/** Parses a URL, or the target of a redirect from another URL. */
function parseHttpTargetWithoutCredentials(address: string | undefined, from: URL | undefined): URL {
  if (address === undefined || !URL.canParse(address, from)) throw new HttpGetError('address');
  const url = new URL(address, from);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new HttpGetError('address');
  // User name and password in a URL are removed: they would be sent as credentials.
  url.username = '';
  url.password = '';
  return url;
}
