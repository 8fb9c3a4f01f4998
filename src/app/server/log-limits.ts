import type { Config } from '#app/config';
import type { LogLimits } from '#ports/log';

export const logLimits = (config: Config): LogLimits => ({
  maxAgeMs: config.logHours * 3_600_000,
  maxBytes: config.logMib * 1_048_576,
});
