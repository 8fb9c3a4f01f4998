/** The account itself: made by the realm actor, shown to its owner. */
import { apiError } from '../../../../src/api/errors.js';
import type { ActorReply } from '../../../../src/api/operation.js';
import { IdSet, type Json, type JsonObject, userId } from '../../../../src/core/index.js';
import type { DirectoryUser, DirectoryView, ProfileData } from '../../../../src/directory/index.js';
import { newestMessage, readingPart } from '../../../../src/messages/index.js';
import { avatarUrl, presentUser } from '../../../../src/people/index.js';
import { pickColor } from '../../../../src/streams/index.js';
import { success, value } from '../../../shared/replies.js';
import type { UserCommand } from '../../command.js';
import { freshSubscription, SUBSCRIPTION_PART, selfOf, subscriptionsOf } from '../../state.js';

interface Created extends JsonObject {
  readonly passwordHash: string | null;
  readonly keySealed: string;
  /** Streams that it is subscribed to from the beginning: nobody can have a queue yet, so there is nobody to tell. */
  readonly streams: readonly { readonly id: number; readonly recipient: number; readonly mark: number }[];
}

/** Decided by the realm actor: never refuses. */
export const create: UserCommand<Created> = {
  creates: true,
  handle({ state }, { passwordHash, keySealed, streams }) {
    const used = new Set<string>();
    const parts: Record<string, Json> = {};
    for (const { id, recipient, mark } of streams) {
      const color = pickColor(used, recipient);
      used.add(color);
      parts[`${SUBSCRIPTION_PART}${id}`] = freshSubscription(id, color) as unknown as Json;
      if (mark > 0) Object.assign(parts, readingPart(id, { mark, read: IdSet.EMPTY, unread: IdSet.EMPTY }));
    }
    return { reply: value(null), state: { ...state, passwordHash, keySealed }, parts };
  },
};

/** API key for the command line, which runs beside the server and knows its secret. */
export const sealedKey: UserCommand<JsonObject> = {
  lane: 'read',
  read: true,
  // Of bots the directory has it: their owners may read it, too.
  handle: ({ state }, _args, _inputs, { key, directory }) => ({
    reply: value(directory.bot(selfOf(key))?.keySealed ?? state.keySealed),
  }),
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
