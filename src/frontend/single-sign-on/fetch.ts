/** Requests to an identity provider, with limits on networks, time and size. Redirects are not followed. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type OutgoingAddressFilter, SERVER_VERSION } from '#base';

/** Error for an identity provider that gave no usable answer in time. */
export class IdentityProviderUnavailableError extends Error {
  override name = 'IdentityProviderUnavailableError';
}

export const IDENTITY_PROVIDER_TIMEOUT_MS = 8_000;
const MAX_PROVIDER_ANSWER_BYTES = 1_048_576;

interface ProviderFetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Converts the body of a request into bytes; openid-client sends forms and texts. */
function bytesOfRequestBody(body: unknown): Uint8Array {
  if (body === undefined || body === null) return new Uint8Array(0);
  if (body instanceof Uint8Array) return body;
  if (typeof body === 'string' || body instanceof URLSearchParams) return Buffer.from(String(body));
  throw new TypeError('a body of another kind');
}

async function readResponseBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > MAX_PROVIDER_ANSWER_BYTES) throw new IdentityProviderUnavailableError('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const STATUSES_WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Makes a `fetch` function for openid-client. It rejects with IdentityProviderUnavailableError for network errors and
 * for server errors of the provider.
 */
export const makeIdentityProviderFetch =
  (filter: OutgoingAddressFilter, timeoutMs = IDENTITY_PROVIDER_TIMEOUT_MS) =>
  async (address: string, { method, headers, body, signal: given }: ProviderFetchOptions): Promise<Response> => {
    const url = new URL(address);
    if (!filter.allowsUrlBeforeLookup(url))
      throw new IdentityProviderUnavailableError(`${url.host} is in a network that is not allowed`);
    const bytes = bytesOfRequestBody(body);
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = given ? AbortSignal.any([given, limit]) : limit;
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(
          url,
          {
            agent: false,
            lookup: filter.lookupAllowedAddresses,
            method,
            signal,
            headers: {
              'user-agent': `Conclave/${SERVER_VERSION}`,
              ...headers,
              'accept-encoding': 'identity',
              'content-length': String(bytes.byteLength),
            },
          },
          resolve,
        );
        request.on('error', reject);
        request.end(bytes);
      });
      const status = response.statusCode ?? 0;
      if (status >= 500) {
        response.destroy();
        throw new IdentityProviderUnavailableError(`${url.host} answered ${status}`);
      }
      const content = await readResponseBody(response);
      const type = response.headers['content-type'];
      return new Response(STATUSES_WITHOUT_BODY.has(status) ? null : new Uint8Array(content), {
        status,
        headers: type === undefined ? {} : { 'content-type': type },
      });
    } catch (error) {
      throw error instanceof IdentityProviderUnavailableError
        ? error
        : new IdentityProviderUnavailableError((error as Error).message);
    }
  };
