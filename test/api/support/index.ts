export { watchedAs } from './actions.js';
export {
  bad,
  basic,
  type CallOptions,
  Client,
  invalid,
  missing,
  type Params,
  type Refusal,
  refusalBody,
  unauthorized,
} from './client.js';
export { coverageTable, triedOf } from './coverage.js';
export {
  complaints,
  type EmbeddedOptions,
  type Services,
  services,
  startCluster,
  startEmbedded,
  type TestServer,
} from './faces.js';
export { type ApiAttachment, attachmentsOf, FORBIDDEN, look, NOT_FOUND, page, upload } from './files.js';
export { Hook, type HookAnswer, type HookCall } from './hook.js';
export { closeIdle, exchange, type RawAnswer } from './http.js';
export { linkIn, mailed, mailsTo, type SentMail } from './mails.js';
export { multipart, type SentFile } from './multipart.js';
export {
  addPerson,
  crowd,
  makeBot,
  makeOrganization,
  NOTIFICATION_BOT,
  type Organization,
  PASSWORD,
  PEOPLE,
  type Person,
  type RoleName,
  say,
  streamIdOf,
  subscribe,
  tell,
  userGroup,
  withoutNotices,
} from './organization.js';
export {
  animation,
  gravatar,
  hostilePictures,
  leadsTo,
  lookAt,
  picture,
  shown,
  TOO_MANY_PIXELS,
  UNDECODABLE,
} from './pictures.js';
export { Queue, settled } from './queue.js';
export { flagEvents, flagQueue, flagsOf, setFlag, type UnreadSection, unreadOf } from './reading.js';
export type { Answer, ApiEvent, ApiMessage, ApiStream, ApiUser, Fields } from './types.js';
export { Follower, verifyAction, verifyRacing } from './verify-action.js';
export { checkEvent, checkResponse, declaredAs, errorsOf, repositoryRoot, wire } from './wire.js';
