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
export {
  keepActiveAccounts,
  owningActorKey,
  readMembership,
  readSubscribers,
  type SubscribersByStream,
} from './conversations.js';
export { allMessagesReadEvent, flagEvent, flagEventBody, presentTypist, readIdsEvents, typingEvent } from './events.js';
export { filesLinkedCommands, filesUnlinkedCommands, loadClaimedFiles, reportFileChanges } from './files.js';
export { mailCommand } from './mail.js';
export {
  directNoticeCommand,
  type Notice,
  quoteDescription,
  STREAM_EVENTS_TOPIC,
  silentMention,
  streamNoticeCommand,
} from './notices.js';
export { type OwnSections, type OwnState, readOwnState, VISITOR_ACCOUNT } from './own-state.js';
export { encodedReply, partialReply, refusalAfterChanges, successReply, valueReply } from './replies.js';
