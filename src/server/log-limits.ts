import type { Config } from '../config/index.js';
import type { LogLimits } from '../log/index.js';

export const logLimits = (config: Config): LogLimits => ({
  maxAgeMs: config.logHours * 3_600_000,
  maxBytes: config.logMib * 1_048_576,
});
