/** Rate limits of a frontend, as configured. Several frontends of a server share their counts over the server's log. */

import type { ServerConfig } from '#app/config';
import type { Json } from '#base';
import type { TimerHandle } from '#base/clock';
import { SERVER_REALM_ID } from '#directory';
import { ApiCallRateLimiter } from '#frontend/http';
import { BucketRateLimiter, ClientAddressResolver, parseRateLimitRules, RateLimitCountSharing } from '#frontend/limits';
import type { ConclaveNode } from './node.js';

export interface FrontendRateLimiting {
  readonly limiter: ApiCallRateLimiter | undefined;
  stop(): void;
}

/** Starts the rate limits. @param isOneOfMany true if other processes of this server are frontends, too */
export function startRateLimiting(
  config: ServerConfig,
  node: ConclaveNode,
  isOneOfMany: boolean,
): FrontendRateLimiting {
  if (config.rateLimits === 'off') return { limiter: undefined, stop() {} };
  const { clock, bus, log } = node.ports;
  const limits = new BucketRateLimiter(clock, {
    user: parseRateLimitRules(config.rateLimitUser),
    address: parseRateLimitRules(config.rateLimitAddress),
    mails: parseRateLimitRules(config.rateLimitMails),
    file: parseRateLimitRules(config.rateLimitFile),
  });
  node.metrics.addReader('conclave_http_rate_limited_total', () =>
    Object.entries(limits.refusedCountByKind).map(([limit, n]) => [[limit], n] as const),
  );
  const limiter = new ApiCallRateLimiter(limits, new ClientAddressResolver(config.trustedProxies));
  if (!isOneOfMany) return { limiter, stop() {} };
  const server = new ServerRealmTransientTail(node);
  const sharing = new RateLimitCountSharing(limits, clock, bus.id, {
    publish: (value) => log.publishTransient(SERVER_REALM_ID, value),
    follow: (reader) => server.followTransientsWithRetries(reader),
  });
  return {
    limiter,
    stop() {
      sharing.stopPublishing();
      server.stop();
    },
  };
}

const FOLLOW_RETRY_PAUSE_MS = 1_000;

/**
 * Follows the transient values in the log of the server realm, which every frontend reads anyway. If the realm does not
 * exist yet, another attempt follows every second.
 */
class ServerRealmTransientTail {
  #retryTimer: TimerHandle | undefined;
  #isStopped = false;

  constructor(private readonly node: ConclaveNode) {
    // The dependent keeps the replica of the server realm open. A replica without use would be closed, and the
    // transient values would stop.
    node.directoryReplicas.addDependent({
      needsOpenReplica: (realm) => realm === SERVER_REALM_ID && !this.#isStopped,
      onReplicaClosed() {},
    });
  }

  followTransientsWithRetries(reader: (value: Json) => void): void {
    const { directoryReplicas, ports } = this.node;
    directoryReplicas.getOrOpenReplica(SERVER_REALM_ID).then(
      ({ logTail }) => logTail.addListener({ onLogEntry() {}, onLogGap() {}, onTransientEvent: reader }),
      () => {
        if (!this.#isStopped)
          this.#retryTimer = ports.clock.setTimeout(
            () => this.followTransientsWithRetries(reader),
            FOLLOW_RETRY_PAUSE_MS,
          );
      },
    );
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#retryTimer) this.node.ports.clock.clearTimeout(this.#retryTimer);
  }
}
