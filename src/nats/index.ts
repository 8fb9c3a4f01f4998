export { connectNats, crashOnThrow, natsName, natsServers, watchConnection } from './connection.js';
