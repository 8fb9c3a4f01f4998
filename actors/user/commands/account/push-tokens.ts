/** POST and DELETE /users/me/apns_device_token and /users/me/android_gcm_reg_id (users.md § Small operations). */

import { success } from '#actors/shared';
import type { Json } from '#base';
import type { userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { UserCommand } from '../../command.js';
import { type PushToken, pushTokenPart, pushTokenParts } from '../../push-tokens.js';

/** Devices of one person; registering one more forgets the one that was registered longest ago. */
const MOST_TOKENS = 100;

export const addPushToken: UserCommand<typeof userCommands.addPushToken> = {
  handle({ parts }, { service, token, app }, _inputs, { now }) {
    const part = pushTokenPart(service, token);
    const others = pushTokenParts(parts).filter((other) => other !== part);
    const since = (of: string): number => (parts.get(of) as unknown as PushToken).since;
    const surplus = others.sort((a, b) => since(b) - since(a)).slice(MOST_TOKENS - 1);
    const kept: PushToken = { service, token, app, since: now };
    return {
      reply: success(),
      parts: { ...Object.fromEntries(surplus.map((of) => [of, null as Json])), [part]: kept },
    };
  },
};

export const removePushToken: UserCommand<typeof userCommands.removePushToken> = {
  handle({ parts }, { service, token }) {
    const part = pushTokenPart(service, token);
    if (!parts.has(part)) throw apiError('NO_SUCH_TOKEN');
    return { reply: success(), parts: { [part]: null } };
  },
};
