import type { Clock } from '../clock/index.js';
import type { Config } from '../config/index.js';
import type { Logger } from '../runtime/index.js';
import type { Secrets } from '../secrets/index.js';
import type { Ports } from './ports.js';
import { clusterPorts } from './ports-cluster.js';
import { embeddedPorts } from './ports-embedded.js';

export const isCluster = (config: Config): boolean => config.nats !== undefined;

/** The face that the configuration asks for. @throws ConfigError when it was written under another secret */
export const openPorts = (config: Config, secrets: Secrets, clock: Clock, logger: Logger): Promise<Ports> =>
  isCluster(config) ? clusterPorts(config, secrets, clock, logger) : embeddedPorts(config, secrets, clock);
