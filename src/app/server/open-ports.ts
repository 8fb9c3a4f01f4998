import type { Config } from '#app/config';
import type { Logger } from '#base';
import type { Clock } from '#base/clock';
import type { Secrets } from '#domain/secrets';
import type { Ports } from './ports.js';
import { clusterPorts } from './ports-cluster.js';
import { embeddedPorts } from './ports-embedded.js';

export const isCluster = (config: Config): boolean => config.nats !== undefined;

/** The face that the configuration asks for. @throws ConfigError when it was written under another secret */
export const openPorts = (config: Config, secrets: Secrets, clock: Clock, logger: Logger): Promise<Ports> =>
  isCluster(config) ? clusterPorts(config, secrets, clock, logger) : embeddedPorts(config, secrets, clock);
