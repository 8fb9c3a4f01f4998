export {
  type EventLog,
  type LogLimits,
  type LogPosition,
  type LogReader,
  type LogSubscription,
  LogUnavailable,
} from './log.js';
export { JetStreamLog, type JetStreamLogOptions } from './log-jetstream.js';
export { LmdbLog, renewIncarnation } from './log-lmdb.js';
export { MeteredLog } from './log-metered.js';
