export {
  type CreatedRealm,
  createRealm,
  createUser,
  findRealm,
  findUser,
  listRealms,
  type NewRealm,
  type NewUser,
  type RealmRow,
  renewKey,
  userApiKey,
} from './accounts.js';
export { ActorCaller, BusCaller, type PlainReply } from './actor-caller.js';
export { AdminError } from './admin-error.js';
export { deactivateUser, reactivateUser, setBilling, setRateLimits, setRealmActive, setRole } from './changes.js';
export { AdminChannel, ChannelCaller } from './channel.js';
