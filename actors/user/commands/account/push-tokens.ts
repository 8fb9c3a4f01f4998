/**
 * Devices for push notifications: POST and DELETE /users/me/apns_device_token and /users/me/android_gcm_reg_id
 * (users.md § Small operations). One part each, named by a hash, because the token is an arbitrary text of the client.
 */

import { createHash } from 'node:crypto';
import { makeSuccessReply } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import type { PushDevice } from '#domain/push';
import type { ActorParts } from '#model';
import type { PushNotificationService, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { UserCommandHandler } from '../../state.js';

/** Maximum number of devices per user; a further one replaces the one that was registered longest ago. */
const MAX_PUSH_TOKENS_PER_USER = 100;

export const registerPushTokenHandler: UserCommandHandler<typeof userActorCommands.addPushToken> = {
  handle({ parts }, { service, token, app }, _inputs, { now }) {
    const part = pushTokenPartName(service, token);
    const others = listPushTokenPartNames(parts).filter((other) => other !== part);
    const since = (of: string): number => readStoredPushToken(parts, of).since;
    const surplus = others.sort((a, b) => since(b) - since(a)).slice(MAX_PUSH_TOKENS_PER_USER - 1);
    const kept: StoredPushToken = { service, token, app, since: now };
    return {
      reply: makeSuccessReply(),
      parts: { ...Object.fromEntries(surplus.map((of) => [of, null as Json])), [part]: kept },
    };
  },
};

export const removePushTokenHandler: UserCommandHandler<typeof userActorCommands.removePushToken> = {
  handle({ parts }, { service, token }) {
    const part = pushTokenPartName(service, token);
    if (!parts.has(part)) throw apiError('NO_SUCH_TOKEN');
    return { reply: makeSuccessReply(), parts: { [part]: null } };
  },
};

export interface StoredPushToken extends JsonObject {
  readonly service: PushNotificationService;
  readonly token: string;
  /** Name of the app that registered the token; null: not given. */
  readonly app: string | null;
  /** Wall time of the last registration, ms. */
  readonly since: number;
}

export const PUSH_TOKEN_PART_PREFIX = 'push/';

const pushTokenPartName = (service: PushNotificationService, token: string): string =>
  `${PUSH_TOKEN_PART_PREFIX}${service}/${createHash('sha256').update(token).digest('hex').slice(0, 32)}`;

export const listPushTokenPartNames = (parts: ActorParts): string[] =>
  [...parts.keys()].filter((part) => part.startsWith(PUSH_TOKEN_PART_PREFIX));

export const readStoredPushToken = (parts: ActorParts, part: string): StoredPushToken =>
  parts.get(part) as StoredPushToken;

/** Devices in the order of their last registration. */
export const listPushDevices = (parts: ActorParts): PushDevice[] =>
  listPushTokenPartNames(parts)
    .map((part) => readStoredPushToken(parts, part))
    .sort((a, b) => a.since - b.since)
    .map(({ service, token, app }) => ({ service, token, app }));
