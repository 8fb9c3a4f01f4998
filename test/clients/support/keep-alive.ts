/**
 * A client as careful ones are: keeps connections, lets go of one that the server ends, tries another server when one
 * refuses.
 *
 * A connection that is made in the very moment in which the server stops listening is reset by the system before the
 * server sees it. No server can help it (clients come this late only where nothing balances, as here), so that counts
 * as refused, apart from the others: on a new connection, without a byte of an answer. Had the server carried it out,
 * it would show as a message that is there twice.
 */
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Account } from './api.js';

export interface KeptAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

class ResetUnseen extends Error {
  override name = 'ResetUnseen';
}

export class KeepAliveClient {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #authorization: string;
  #at = 0;
  /** Connections that were refused. */
  refused = 0;
  /** Failed requests whose connection was reset before the server saw them. */
  resetUnseen = 0;

  constructor(
    private readonly sites: readonly string[],
    account: Account,
  ) {
    this.#authorization = `Basic ${Buffer.from(`${account.email}:${account.key}`).toString('base64')}`;
  }

  /** Rejects with whatever but a refusal keeps it from an answer. */
  async call(method: string, path: string, params: Readonly<Record<string, unknown>> = {}): Promise<KeptAnswer> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.#once(this.sites[this.#at % this.sites.length]!, method, path, params);
      } catch (error) {
        const unseen = error instanceof ResetUnseen;
        if (!(unseen || codeOf(error) === 'ECONNREFUSED') || tries === this.sites.length) throw error;
        this.refused++;
        if (unseen) this.resetUnseen++;
        this.#at++;
      }
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #once(site: string, method: string, path: string, params: Readonly<Record<string, unknown>>): Promise<KeptAnswer> {
    const text = new URLSearchParams(
      Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    ).toString();
    const get = method === 'GET';
    const url = `${site}/api/v1${path}${get ? `?${text}` : ''}`;
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(text) };
    const headers = { authorization: this.#authorization, ...(get ? {} : form) };
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, agent: this.#agent, headers }, (response) => {
        whole(response).then(
          (body) => resolve({ status: response.statusCode!, headers: response.headers, body: JSON.parse(body) }),
          reject,
        );
      });
      sent.on('error', (error) => {
        const unseen = codeOf(error) === 'ECONNRESET' && !sent.reusedSocket;
        reject(unseen ? new ResetUnseen(error.message) : error);
      });
      sent.end(get ? undefined : text);
    });
  }
}

async function whole(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
  return text;
}
