/**
 * The mail actor: one per organization. It stores outgoing mails until the mail server has taken them, so that a slow
 * mail server delays no other actor.
 *
 * State: number of the last mail; one part per waiting mail (`mail/`). Without phases.
 *
 * Commands: `send` stores a mail (made by `makeSendMailCommand` in actors/shared) and sets the timer; `due` sends the
 * mails that are due, up to 40 per run, in an exclusive lane of its own, and sets the time of the next attempt. Bulk
 * mails go after others. After a run that leaves mails untried or finds the mail server away, the next one begins ten
 * seconds later, also for new mails.
 *
 * Mails about messages and invitations are dropped when their account or the organization was deactivated while they
 * waited, and an invitation also when it was revoked or used.
 *
 * Invariants: `send` never refuses. A crash between sending and commit sends a mail again under the same id. Links that
 * grant access are stored sealed and opened only for the mail server.
 *
 * Importers: src/app, which hosts the kind.
 */
export { mailActorKind } from './kind.js';
