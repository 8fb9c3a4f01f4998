/**
 * Code that several kinds of actors share, so that no kind imports another.
 *
 *   - `replies`: the replies of handlers (success, refusal after changes, partial success, plain value).
 *   - `notices`, `mail`, `files`: commands to other actors (message of a system bot, mail, links of uploaded files).
 *   - `conversations`, `own-state`: reads of other actors, for the inputs of commands and for snapshots.
 *   - `events`: bodies of events that two kinds emit (flags, typing).
 *
 * Invariants: no state, and no I/O except through the `InputSources` of the caller. `actors/services.ts`, beside this
 * folder, names the services that these sources contain.
 *
 * Importers: the kinds in actors/*, and nothing in src.
 */
export { activeSubscribers, ownerOf, readMembership, readSubscribers, type Subscribers } from './conversations.js';
export { allReadEvent, flagEvent, flagEventBody, idEvents, typingEvent, typist } from './events.js';
export { claimedFiles, filesLinked, filesUnlinked, tellRealm } from './files.js';
export { mailCommand } from './mail.js';
export { directNotice, type Notice, quoted, STREAM_EVENTS, silentMention, streamNotice } from './notices.js';
export { type OwnSections, type OwnState, readOwnState, VISITOR } from './own-state.js';
export { encoded, partially, refusedAfter, success, value } from './replies.js';
