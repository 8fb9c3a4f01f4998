/** The account itself: made by the realm actor, shown to its owner. */
import { apiError } from '../../../src/api/errors.js';
import type { ActorReply } from '../../../src/api/operation.js';
import type { JsonObject } from '../../../src/core/index.js';
import { userId } from '../../../src/core/index.js';
import type { DirectoryUser, DirectoryView, ProfileData } from '../../../src/directory/index.js';
import { newestMessage } from '../../../src/messages/index.js';
import { avatarUrl, presentUser } from '../../../src/people/index.js';
import { success, value } from '../../shared/replies.js';
import type { UserCommand } from '../command.js';
import { subscriptionsOf } from '../state.js';

/** Decided by the realm actor: never refuses. */
export const create: UserCommand<{ readonly passwordHash: string | null; readonly keySealed: string }> = {
  creates: true,
  handle: ({ state }, { passwordHash, keySealed }) => ({
    reply: value(null),
    state: { ...state, passwordHash, keySealed },
  }),
};

/** API key for the command line, which runs beside the server and knows its secret. */
export const sealedKey: UserCommand<JsonObject> = {
  lane: 'read',
  read: true,
  handle: ({ state }) => ({ reply: value(state.keySealed) }),
};

/** Replies by account as the directory holds it: a change of the account is another object. */
const shown = new WeakMap<
  DirectoryUser,
  { readonly profile: ProfileData; readonly newest: number; readonly reply: ActorReply }
>();

function showMe(user: DirectoryUser, directory: DirectoryView, newest: number): ActorReply {
  const known = shown.get(user);
  const profile = directory.profile(user.id);
  if (known?.newest === newest && known.profile === profile) return known.reply;
  const { bot_type, bot_owner_id, ...own } = presentUser(user, user, { clientGravatar: false, profile: directory });
  const reply = success({ ...own, avatar_url: avatarUrl(user), max_message_id: newest });
  shown.set(user, { profile, newest, reply });
  return reply;
}

/** GET /users/me. */
export const me: UserCommand<JsonObject, number> = {
  lane: 'read',
  read: true,
  needs: (_args, { realm, caller, view }, { store }) =>
    newestMessage(
      store,
      realm,
      caller,
      subscriptionsOf(view.parts).map((own) => own.stream),
    ),
  handle(_view, _args, newest, { directory, caller }) {
    const user = directory.user(userId(caller));
    if (!user) throw apiError('ACCOUNT_DEACTIVATED');
    return { reply: showMe(user, directory, newest) };
  },
};
