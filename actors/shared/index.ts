/**
 * Code that several kinds of actors share, so that no kind imports another.
 *
 *   - `replies`: the replies of handlers (success, refusal after changes, partial success, plain value).
 *   - `notices`, `mail`, `files`: commands to other actors (message of a system bot, mail, links of uploaded files).
 *   - `conversations`, `own-state`: reads of other actors, for the inputs of commands and for snapshots.
 *   - `events`: bodies of events that two kinds emit (flags, typing).
 *
 * Invariants: no state, and no I/O except through the `ActorInputSources` of the caller. `actors/services.ts`, beside
 * this folder, names the services that these sources contain.
 *
 * Importers: the kinds in actors/*, and nothing in src.
 */
export {
  askStreamForSubscribers,
  filterActiveAccountIds,
  messageOwnerActorKey,
  readSubscribersOfStreams,
  type SubscribersByStream,
} from './conversations.js';
export {
  formatTypingUserForApi,
  makeAllMessagesReadEvent,
  makeFlagEventBaseFields,
  makeMessageFlagsEvent,
  makeMessagesReadEvents,
  makeTypingEvent,
} from './events.js';
export {
  loadClaimableFilePaths,
  makeFileChangesCommand,
  makeFilesLinkedCommands,
  makeFilesOfDeletedMessagesCommands,
  makeFilesUnlinkedCommands,
} from './files.js';
export { makeSendMailCommand } from './mail.js';
export {
  formatSilentMention,
  formatStreamPrivacy,
  makeDirectNoticeCommand,
  makeStreamNoticeCommand,
  noticeTextsOfRealm,
  noticeTextsOfUser,
  quoteStreamDescription,
  STREAM_EVENTS_TOPIC_NAME,
  type SystemNotice,
} from './notices.js';
export { type OwnStateSections, readUserOwnState, type UserOwnState, VISITOR_ACCOUNT } from './own-state.js';
export {
  makePartialSuccessReply,
  makeRefusalReplyAfterChanges,
  makeSuccessReply,
  makeSuccessReplyOfEncodedFields,
  makeValueReply,
} from './replies.js';
