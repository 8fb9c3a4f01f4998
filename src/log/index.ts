export type { EventLog, LogLimits, LogPosition, LogReader, LogSubscription } from './log.js';
export { LogUnavailable } from './log.js';
export { JetStreamLog, type JetStreamLogOptions } from './log-jetstream.js';
export { LmdbLog, renewIncarnation } from './log-lmdb.js';
export { MeteredLog } from './log-metered.js';
