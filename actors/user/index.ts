/**
 * The user actor: one per account. It holds what only this user's side knows: secrets, subscriptions, read state,
 * flags, drafts, scheduled messages and uploaded files.
 *
 * State (`state.ts`): a small root (password hash, sealed API key, failed log-ins). Parts: a subscription per stream
 * (`sub/`), read state and marks, topic policies, drafts, scheduled messages, files, bot storage, push tokens. Phases
 * (`machine.ts`): active, deactivated.
 *
 * Commands by area (`commands/`):
 *   - account: secrets, log-in, tutorial, push tokens, bot storage, the sections of a snapshot (`own-state.ts`).
 *   - messages: reading (`messages.ts`, `anonymous.ts`), flags and marking as read (helpers in `reading/`), and the
 *     entrance of every command on one message (`on-message.ts`): checks access, then redirects to the owning actor.
 *   - streams: subscriptions, topic policies, views of single streams. files: uploads and access to them.
 *   - later: drafts and scheduled messages (`scheduling.ts`), and the timer that delivers the latter.
 *   - missed, digest: mails about missed messages, and weekly digests (`weekly-digest.ts`), which the timer makes.
 *
 * Invariants:
 *   - Decisions of the realm actor (commands without a caller) never refuse, and a repeat changes nothing.
 *   - An event about a message is emitted only after the message's own event is in the log (`awaitPublished`).
 *   - The actor has one timer: every command that changes a time-bound part sets `due` to `nextUserTimerTime`.
 *
 * Importers: src/app, which hosts the kind. Other actors send commands.
 */
export { MAX_LISTED_FILE_MESSAGES, OWN_FILE_PART_PREFIX, type OwnUploadedFile } from './files.js';
export { userActorKind } from './kind.js';
export { nextPersonalItemId, SUBSCRIPTION_PART_PREFIX, type UserActorState } from './state.js';
