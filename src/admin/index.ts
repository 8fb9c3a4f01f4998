export * from './accounts.js';
export { ActorCaller, BusCaller, type PlainReply } from './actor-caller.js';
export * from './changes.js';
export { AdminChannel, ChannelCaller } from './channel.js';
