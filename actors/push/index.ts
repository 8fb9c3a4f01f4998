/**
 * The push actor: one per account. It stores pushes until the browsers of the account and the push gateway have taken
 * them, so that a slow push service delays no conversation.
 *
 * State: number of the last push, messages that notifications show; one part per waiting push (`push/`). No phases.
 *
 * Pipeline: the user actor decides, and sends `notify` or `remove`, which store a push → `due` asks the user actor for
 * devices and for what may be shown now, and sends (`rounds.ts`) → what could not be delivered is tried again, and
 * subscriptions and tokens that have ended are reported to their keepers.
 *
 * Invariants: the commands never refuse. A push says only what its receiver may read at the moment of sending, and says
 * nothing of a message that was read meanwhile. A receiver gets its pushes in their order. A crash between sending and
 * commit sends a push again under the same id and tag. At most 200 pushes wait.
 *
 * Importers: src/app, which hosts the kind.
 */
export { pushNotificationActorKind } from './kind.js';
