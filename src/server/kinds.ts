/** The kinds of actors, by the first part of their keys. */
import { queueKind } from '../../actors/event-queue/kind.js';
import { mailKind } from '../../actors/mail/kind.js';
import { presenceKind } from '../../actors/presence/kind.js';
import { realmKind } from '../../actors/realm/kind.js';
import type { ActorServices } from '../../actors/services.js';
import { strangerKind } from '../../actors/stranger/kind.js';
import { directKind, streamKind } from '../../actors/stream/kind.js';
import { userKind } from '../../actors/user/kind.js';
import { webhookKind } from '../../actors/webhook/kind.js';
import type { AnyKind } from '../runtime/index.js';

export const actorKinds = (): Readonly<Record<string, AnyKind<ActorServices>>> => ({
  realm: realmKind,
  user: userKind,
  stream: streamKind,
  dm: directKind,
  mail: mailKind,
  presence: presenceKind,
  webhook: webhookKind,
  stranger: strangerKind,
  queue: queueKind,
});
