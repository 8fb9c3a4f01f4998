/**
 * The NATS connection shared by the bus, the event log and placement: settings, credentials, reconnects, errors in
 * callbacks, and positions in raw headers. Holds no protocol of its own. Imported by these three ports, and by the
 * command line for the names of servers.
 */
export {
  connectNats,
  crashOnThrow,
  formatNatsServersForLog,
  parseNatsServers,
  watchNatsConnection,
} from './connection.js';
export { type RepublishedPosition, readRepublishedPosition } from './republished-position.js';
