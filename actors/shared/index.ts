export { claimedFiles, filesLinked, filesUnlinked } from './file-links.js';
export { mailCommand } from './mail.js';
export { directNotice, type Notice, quoted, STREAM_EVENTS, silentMention, streamNotice } from './notices.js';
export { type OwnSection, type OwnSections, type OwnState, type OwnStateArgs, readOwnState } from './own-state.js';
export { encoded, partially, refusedAfter, success, value } from './replies.js';
export {
  activeSubscribers,
  type Membership,
  readMembership,
  readSubscribers,
  type Subscribers,
} from './subscribers.js';
export { type TypingOp, typingEvent, typist } from './typing.js';
