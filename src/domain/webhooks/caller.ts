/** Calls the servers of outgoing webhooks: one POST, with limits on where it goes, how long it takes and what comes back. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { VERSION } from '#base';
import type { Clock } from '#base/clock';
import { type AddressFilter, ForbiddenAddress } from './networks.js';

/** Milliseconds that a call may take in all (users.md § Bots). */
export const CALL_TIMEOUT_MS = 10_000;
/** A reply holds a message of 10,000 characters and a widget; longer answers are cut off. */
const MAX_RESPONSE_BYTES = 256 * 1024;

export interface WebhookRequest {
  readonly url: string;
  readonly type: string;
  readonly body: string;
}

export type CallResult =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  /** No connection: the call was not heard, and may be heard later. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** Whatever else went wrong; in words, as part of a sentence. */
  | { readonly kind: 'failed'; readonly reason: string };

const failed = (reason: string): CallResult => ({ kind: 'failed', reason });

export class WebhookCaller {
  constructor(
    private readonly clock: Clock,
    private readonly reachable: AddressFilter,
  ) {}

  /** Never rejects. Redirects are not followed: they are answers like others. */
  post({ url, type, body }: WebhookRequest): Promise<CallResult> {
    const target = URL.canParse(url) ? new URL(url) : undefined;
    if (!target || !['http:', 'https:'].includes(target.protocol)) {
      return Promise.resolve(failed('its address is none of a web server'));
    }
    // Addresses are not looked up.
    if (!this.reachable.allowsUrl(target)) return Promise.resolve(failed(NOT_ALLOWED));
    return new Promise((resolve) => {
      const bytes = Buffer.from(body);
      const options: RequestOptions = {
        method: 'POST',
        agent: false,
        lookup: this.reachable.lookup,
        headers: {
          'content-type': type,
          'content-length': bytes.byteLength,
          'user-agent': `ConclaveOutgoingWebhook/${VERSION}`,
          accept: 'application/json',
        },
      };
      const request = (target.protocol === 'https:' ? httpsRequest : httpRequest)(target, options);
      let connected = false;
      const end = (answer: CallResult): void => {
        this.clock.clearTimeout(timer);
        resolve(answer);
        request.destroy();
      };
      const timer = this.clock.setTimeout(() => end(failed('it took longer than 10 seconds')), CALL_TIMEOUT_MS);
      request.on('socket', (socket) => {
        socket.once('connect', () => {
          connected = true;
        });
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        // A name that only this server's network knows is told from one that nobody knows by nothing.
        const hidden = error instanceof ForbiddenAddress || error.syscall === 'getaddrinfo';
        const reason = hidden ? 'no address that this server calls' : (error.code ?? error.message);
        if (connected) end(failed(`the connection broke (${reason})`));
        else end({ kind: 'unreachable', reason: `it could not be reached (${reason})` });
      });
      request.on('response', (response) => void read(response, end));
      request.end(bytes);
    });
  }
}

const NOT_ALLOWED = 'its address is one that this server does not call';

async function read(response: IncomingMessage, end: (answer: CallResult) => void): Promise<void> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > MAX_RESPONSE_BYTES) {
        end(failed('its answer was too long'));
        return;
      }
      chunks.push(chunk);
    }
    end({ kind: 'answered', status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') });
  } catch {
    end(failed('the connection broke while it answered'));
  }
}
