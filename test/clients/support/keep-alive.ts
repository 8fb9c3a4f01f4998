/**
 * HTTP client as robust clients are: reuses connections, drops a connection that the server closes, and tries another
 * server when one refuses.
 *
 * A connection that arrives while the server stops listening is reset by the kernel before the server sees it. No
 * server can prevent this; only clients without a load balancer, as here, meet it. Such a reset on a new connection
 * without any response byte counts as a refusal, in a counter of its own. If the server had executed the request, the
 * retry would show as a duplicate message.
 */
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Account } from '../../support/credentials.js';

export interface KeepAliveResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

class ResetBeforeSeenError extends Error {
  override name = 'ResetBeforeSeenError';
}

export class KeepAliveClient {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #authorization: string;
  #at = 0;
  /** Number of refused connections, including those reset unseen. */
  refused = 0;
  /** Number of failed requests whose connection was reset before the server saw it. */
  resetUnseen = 0;

  constructor(
    private readonly sites: readonly string[],
    account: Account,
  ) {
    this.#authorization = `Basic ${Buffer.from(`${account.email}:${account.key}`).toString('base64')}`;
  }

  /**
   * Makes a call at the current server. Retries at the next server when a connection is refused.
   * @throws the last refusal, or any other error that prevents a response
   */
  async call(method: string, path: string, params: Readonly<Record<string, unknown>> = {}): Promise<KeepAliveResponse> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.#once(this.sites[this.#at % this.sites.length]!, method, path, params);
      } catch (error) {
        const isUnseenReset = error instanceof ResetBeforeSeenError;
        if (!(isUnseenReset || codeOf(error) === 'ECONNREFUSED') || tries === this.sites.length) throw error;
        this.refused++;
        if (isUnseenReset) this.resetUnseen++;
        this.#at++;
      }
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #once(
    site: string,
    method: string,
    path: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<KeepAliveResponse> {
    const text = new URLSearchParams(
      Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    ).toString();
    const get = method === 'GET';
    const url = `${site}/api/v1${path}${get ? `?${text}` : ''}`;
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(text) };
    const headers = { authorization: this.#authorization, ...(get ? {} : form) };
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, agent: this.#agent, headers }, (response) => {
        readText(response).then(
          (body) => resolve({ status: response.statusCode!, headers: response.headers, body: JSON.parse(body) }),
          reject,
        );
      });
      sent.on('error', (error) => {
        const isUnseenReset = codeOf(error) === 'ECONNRESET' && !sent.reusedSocket;
        reject(isUnseenReset ? new ResetBeforeSeenError(error.message) : error);
      });
      sent.end(get ? undefined : text);
    });
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
  return text;
}
