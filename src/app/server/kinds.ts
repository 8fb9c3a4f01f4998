/** The kinds of actors, by the first part of their keys. */
import { queueKind } from '#actors/event-queue';
import { strangerKind } from '#actors/login-guard';
import { mailKind } from '#actors/mail';
import { presenceKind } from '#actors/presence';
import { realmKind } from '#actors/realm';
import { directKind, streamKind } from '#actors/stream';
import { userKind } from '#actors/user';
import { webhookKind } from '#actors/webhook';
import type { AnyKind } from '#runtime';
import type { ActorServices } from '../../../actors/services.js';

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
