/** The rate limits of a frontend, as configured; in a cluster it tells the others what it counted. */

import type { Config } from '#app/config';
import type { Json } from '#base';
import type { TimerHandle } from '#base/clock';
import { SERVER_REALM } from '#directory';
import { CallLimiter } from '#frontend/http';
import { ClientAddresses, CountSharing, parseRules, RateLimits } from '#frontend/limits';
import type { ConclaveNode } from './node.js';
import { isCluster } from './open-ports.js';

export interface Rates {
  readonly limiting: CallLimiter | undefined;
  stop(): void;
}

export function ratesOf(config: Config, node: ConclaveNode): Rates {
  if (config.rateLimits === 'off') return { limiting: undefined, stop() {} };
  const { clock, bus, log } = node.ports;
  const limits = new RateLimits(clock, {
    user: parseRules(config.rateLimitUser),
    address: parseRules(config.rateLimitAddress),
    mails: parseRules(config.rateLimitMails),
    file: parseRules(config.rateLimitFile),
  });
  node.metrics.read('conclave_http_rate_limited_total', () =>
    Object.entries(limits.refused).map(([limit, n]) => [[limit], n] as const),
  );
  const limiting = new CallLimiter(limits, new ClientAddresses(config.trustedProxies));
  if (!isCluster(config)) return { limiting, stop() {} };
  const server = new ServerTail(node);
  const sharing = new CountSharing(limits, clock, bus.id, {
    publish: (value) => log.publish(SERVER_REALM, value),
    follow: (reader) => server.follow(reader),
  });
  return {
    limiting,
    stop() {
      sharing.stop();
      server.stop();
    },
  };
}

const AGAIN_MS = 1_000;

/** What is told beside the log of the server's realm, which every frontend follows anyway, once there is one. */
class ServerTail {
  #again: TimerHandle | undefined;
  #stopped = false;

  constructor(private readonly node: ConclaveNode) {
    // Closed for want of other use, it would tell nothing more.
    node.directories.addDependent({ busy: (realm) => realm === SERVER_REALM && !this.#stopped, closed() {} });
  }

  follow(reader: (value: Json) => void): void {
    const { directories, ports } = this.node;
    directories.replica(SERVER_REALM).then(
      ({ tail }) => tail.add({ entry() {}, gap() {}, transient: reader }),
      () => {
        if (!this.#stopped) this.#again = ports.clock.setTimeout(() => this.follow(reader), AGAIN_MS);
      },
    );
  }

  stop(): void {
    this.#stopped = true;
    if (this.#again) this.node.ports.clock.clearTimeout(this.#again);
  }
}
