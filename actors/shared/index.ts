export { activeSubscribers, ownerOf, readMembership, readSubscribers, type Subscribers } from './conversations.js';
export { allReadEvent, flagEvent, flagEventBody, idEvents, typingEvent, typist } from './events.js';
export { claimedFiles, filesLinked, filesUnlinked, tellRealm } from './files.js';
export { mailCommand } from './mail.js';
export { directNotice, type Notice, quoted, STREAM_EVENTS, silentMention, streamNotice } from './notices.js';
export { type OwnSections, type OwnState, readOwnState, VISITOR } from './own-state.js';
export { encoded, partially, refusedAfter, success, value } from './replies.js';
