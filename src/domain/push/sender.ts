/** Sends pushes to the push services of browsers and to the push gateway. It keeps no state of pushes. */
import webPush from 'web-push';
import { type JsonObject, type Logger, parseJsonText } from '#base';
import type { Clock } from '#base/clock';
import type { MetricsRegistry } from '#base/metrics';
import { noticeTextsIn } from '#domain/texts';
import type { WebhookCaller, WebhookCallResult } from '#domain/webhooks';
import type { WebPushSubscription } from './subscription.js';
import type { VapidKeys } from './vapid.js';

/** Result of an attempt. gone: the subscription has ended. later: try again. failed: dropped for good. */
export type PushDeliveryOutcome =
  | { readonly is: 'done' }
  | { readonly is: 'gone' }
  /** `afterMs`: wish of the push service. */
  | { readonly is: 'later'; readonly afterMs: number; readonly reason: string }
  | { readonly is: 'failed'; readonly reason: string };

export interface PushGatewayTarget {
  readonly url: string;
  /** Sent as `Authorization: Bearer`; undefined: the gateway wants none. */
  readonly token: string | undefined;
}

export interface PushSenderOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly keys: VapidKeys;
  /** Contact of the operators for push services: a `mailto:` or `https:` address. */
  readonly contact: string;
  /** Makes requests to addresses that users gave. */
  readonly caller: WebhookCaller;
  /** Makes requests to the gateway, whose address the operator chose. */
  readonly gatewayCaller: WebhookCaller;
  /** Browsers may subscribe. */
  readonly browsers: boolean;
  readonly gateway: PushGatewayTarget | undefined;
  /** Pushes contain the text of messages. */
  readonly content: boolean;
  /** Base URL of the organization with this subdomain. */
  readonly site: (subdomain: string) => string;
}

/** How long a push service keeps a push for a browser that is off. */
const BROWSER_PUSH_TTL_SECONDS = 24 * 3_600;
/** Maximum pause that a push service or gateway may ask for, ms. */
const MAX_HONORED_RETRY_AFTER_MS = 3_600_000;

/** Interval of log lines about pushes that were not taken, ms. */
const PUSH_FAILURE_LOG_INTERVAL_MS = 3_600_000;

type PushDestinationKind = 'browser' | 'gateway';

export class PushNotificationSender {
  readonly #nextFailureLogAt: Record<PushDestinationKind, number> = {
    browser: Number.NEGATIVE_INFINITY,
    gateway: Number.NEGATIVE_INFINITY,
  };

  constructor(readonly options: PushSenderOptions) {}

  /** Pushes to a browser. Never rejects. @param topic at most 32 characters of base64url; replaces waiting pushes */
  async pushToBrowser(
    subscription: WebPushSubscription,
    payload: JsonObject,
    topic: string,
  ): Promise<PushDeliveryOutcome> {
    const { keys, contact, caller } = this.options;
    const { endpoint, p256dh, auth } = subscription;
    let request: ReturnType<typeof webPush.generateRequestDetails>;
    try {
      request = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, JSON.stringify(payload), {
        vapidDetails: { subject: contact, ...keys },
        TTL: BROWSER_PUSH_TTL_SECONDS,
        urgency: payload.event === 'message' ? 'high' : 'normal',
        topic,
      });
    } catch (error) {
      return { is: 'failed', reason: (error as Error).message };
    }
    const headers = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
    const answer = await caller.postWithoutRedirects({
      url: endpoint,
      type: 'application/octet-stream',
      body: request.body ?? '',
      headers: Object.fromEntries(headers),
    });
    const ended = answer.kind === 'answered' && (answer.status === 404 || answer.status === 410);
    return this.#recordOutcome('browser', ended ? { is: 'gone' } : this.#toDeliveryOutcome(answer));
  }

  /** Posts to the gateway. Never rejects. @returns also the tokens that the gateway reports as gone */
  async postToGateway(
    { url, token }: PushGatewayTarget,
    body: JsonObject,
  ): Promise<{ readonly fate: PushDeliveryOutcome; readonly gone: readonly string[] }> {
    const answer = await this.options.gatewayCaller.postWithoutRedirects({
      url,
      type: 'application/json',
      body: JSON.stringify(body),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    const fate = this.#recordOutcome('gateway', this.#toDeliveryOutcome(answer));
    return { fate, gone: answer.kind === 'answered' && fate.is === 'done' ? parseGoneDeviceTokens(answer.body) : [] };
  }

  /** Counts an attempt. A failure is logged once an hour, without addresses, which are private. */
  #recordOutcome(to: PushDestinationKind, fate: PushDeliveryOutcome): PushDeliveryOutcome {
    this.options.metrics.increment('conclave_pushes_total', to, fate.is);
    const now = this.options.clock.now();
    if ((fate.is === 'later' || fate.is === 'failed') && now >= this.#nextFailureLogAt[to]) {
      this.#nextFailureLogAt[to] = now + PUSH_FAILURE_LOG_INTERVAL_MS;
      const { reason } = fate;
      const again = fate.is === 'later' ? 'and is tried again later' : 'and is dropped';
      this.options.logger.warn(
        { to, reason },
        `a push was not taken ${again}; further ones are not logged for an hour`,
      );
    }
    return fate;
  }

  #toDeliveryOutcome(answer: WebhookCallResult): PushDeliveryOutcome {
    if (answer.kind !== 'answered') {
      const { fault, detail = '' } = answer.reason;
      return { is: 'later', afterMs: 0, reason: noticeTextsIn('en').webhookFaults[fault](detail) };
    }
    const { status, retryAfter } = answer;
    if (status >= 200 && status <= 299) return { is: 'done' };
    const reason = `status ${status}`;
    if (status !== 429 && status < 500) return { is: 'failed', reason };
    return { is: 'later', afterMs: this.#parseRetryAfterMs(retryAfter), reason };
  }

  /** @param retryAfter a number of seconds or a date */
  #parseRetryAfterMs(retryAfter: string): number {
    const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - this.options.clock.now();
    return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_HONORED_RETRY_AFTER_MS) : 0;
  }
}

/** Field `gone` of a gateway's answer; an answer of another form names no token. */
function parseGoneDeviceTokens(body: string): readonly string[] {
  const value = parseJsonText(body)?.value as { readonly gone?: unknown } | null | undefined;
  const gone = typeof value === 'object' && value !== null ? value.gone : undefined;
  return Array.isArray(gone) ? gone.filter((token): token is string => typeof token === 'string') : [];
}
