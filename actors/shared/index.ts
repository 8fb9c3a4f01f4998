export { claimedFiles, filesLinked, filesUnlinked } from './file-links.js';
export { mailCommand } from './mail.js';
export { directNotice, type Notice, quoted, STREAM_EVENTS, silentMention, streamNotice } from './notices.js';
export { type OwnSections, type OwnState, readOwnState } from './own-state.js';
export { encoded, partially, refusedAfter, success, value } from './replies.js';
export { activeSubscribers, readMembership, readSubscribers, type Subscribers } from './subscribers.js';
export { typingEvent, typist } from './typing.js';
