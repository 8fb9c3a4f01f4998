/** Calls of outgoing webhooks: a POST request with limits on its target, its time and the size of the response. */
import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ForbiddenAddressError, type OutgoingAddressFilter, SERVER_VERSION } from '#base';
import type { Clock } from '#base/clock';
import type { WebhookFault } from '#domain/texts';

/** Maximum duration of a webhook call, ms (users.md § Bots). */
const WEBHOOK_TIMEOUT_MS = 10_000;
/** Maximum size of a webhook's response, bytes. A reply has at most a message of 10,000 characters and a widget. */
const MAX_WEBHOOK_RESPONSE_BYTES = 256 * 1024;

export interface WebhookRequest {
  readonly url: string;
  /** Content type of the request's body. */
  readonly type: string;
  readonly body: string | Uint8Array;
  /** Further headers, in lower case; they win over the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Result of a webhook call. */
export type WebhookCallResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly body: string;
      /** Header `Retry-After`: a number of seconds or a date; '' when absent. */
      readonly retryAfter: string;
    }
  /** The connection failed: the bot's server didn't get the call, which may be repeated. */
  | { readonly kind: 'unreachable'; readonly reason: WebhookFault }
  /** Any other failure; the call is not repeated. */
  | { readonly kind: 'failed'; readonly reason: WebhookFault };

const makeFailedCallResult = (fault: WebhookFault['fault']): WebhookCallResult => ({
  kind: 'failed',
  reason: { fault },
});

export class WebhookCaller {
  constructor(
    private readonly clock: Clock,
    private readonly filter: OutgoingAddressFilter,
  ) {}

  /** Makes a webhook call. Never rejects. Redirects are not followed, but returned like other responses. */
  postWithoutRedirects({ url, type, body, headers }: WebhookRequest): Promise<WebhookCallResult> {
    const target = URL.canParse(url) ? new URL(url) : undefined;
    if (!target || !['http:', 'https:'].includes(target.protocol)) {
      return Promise.resolve(makeFailedCallResult('noWebServer'));
    }
    // A host that is an IP address needs no DNS look-up, so it is checked before the connection.
    if (!this.filter.allowsUrlBeforeLookup(target)) return Promise.resolve(makeFailedCallResult('forbiddenAddress'));
    const bytes = Buffer.from(body);
    const options: RequestOptions = {
      method: 'POST',
      agent: false,
      lookup: this.filter.lookupAllowedAddresses,
      headers: {
        'content-type': type,
        'content-length': bytes.byteLength,
        'user-agent': `ConclaveOutgoingWebhook/${SERVER_VERSION}`,
        accept: 'application/json',
        ...headers,
      },
    };
    let request: ClientRequest;
    try {
      request = (target.protocol === 'https:' ? httpsRequest : httpRequest)(target, options);
    } catch {
      // Node refuses some addresses that are valid URLs, such as `http://%@example.com/`.
      return Promise.resolve(makeFailedCallResult('noWebServer'));
    }
    return new Promise((resolve) => {
      let connected = false;
      const end = (result: WebhookCallResult): void => {
        this.clock.clearTimeout(timer);
        resolve(result);
        request.destroy();
      };
      const timer = this.clock.setTimeout(() => end(makeFailedCallResult('timeout')), WEBHOOK_TIMEOUT_MS);
      request.on('socket', (socket) => {
        socket.once('connect', () => {
          connected = true;
        });
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        // A forbidden address and an unknown host name give the same result, so that bots can't probe this server's
        // network.
        const hidden = error instanceof ForbiddenAddressError || error.syscall === 'getaddrinfo';
        const detail = error.code ?? error.message;
        if (hidden) end({ kind: 'unreachable', reason: { fault: 'unreachableAddress' } });
        else if (connected) end({ kind: 'failed', reason: { fault: 'connectionBroke', detail } });
        else end({ kind: 'unreachable', reason: { fault: 'unreachable', detail } });
      });
      request.on('response', (response) => void readResponseAndEndCall(response, end));
      // A server that switches the protocol sends no response, and Node reports no error.
      request.on('upgrade', (_response, socket) => {
        socket.destroy();
        end({ kind: 'answered', status: 101, body: '', retryAfter: '' });
      });
      request.end(bytes);
    });
  }
}

async function readResponseAndEndCall(
  response: IncomingMessage,
  end: (result: WebhookCallResult) => void,
): Promise<void> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > MAX_WEBHOOK_RESPONSE_BYTES) {
        end(makeFailedCallResult('answerTooLong'));
        return;
      }
      chunks.push(chunk);
    }
    const { statusCode: status = 0, headers } = response;
    const body = Buffer.concat(chunks).toString('utf8');
    end({ kind: 'answered', status, body, retryAfter: headers['retry-after'] ?? '' });
  } catch {
    end(makeFailedCallResult('answerBroke'));
  }
}
