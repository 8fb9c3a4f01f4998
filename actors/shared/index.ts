export type { CheckedPassword } from './checked-password.js';
export type { EditArgs, PropagateMode } from './edit-args.js';
export { type FileChange, tellRealm } from './file-changes.js';
export { claimedFiles, filesLinked, filesUnlinked } from './file-links.js';
export { allReadEvent, flagEvent, flagEventBody, idEvents } from './flag-events.js';
export { mailCommand } from './mail.js';
export { ownerOf } from './message-owner.js';
export { directNotice, type Notice, quoted, STREAM_EVENTS, silentMention, streamNotice } from './notices.js';
export { type OwnSection, type OwnSections, type OwnState, type OwnStateArgs, readOwnState } from './own-state.js';
export { READ_STREAM } from './read-stream.js';
export { encoded, partially, refusedAfter, success, value } from './replies.js';
export type { Said, SendAgainArgs, SendArgs } from './send-again.js';
export {
  activeSubscribers,
  type Membership,
  readMembership,
  readSubscribers,
  type Subscribers,
} from './subscribers.js';
export { type TypingOp, typingEvent, typist } from './typing.js';
export { VISITOR } from './visitor.js';
