/** Avatars (users.md § Avatars). Their pictures are prepared and stored by the frontend (src/frontend/api/store-picture.ts). */

import { success } from '#actors/shared';
import { avatarUrl, isAdmin, presentAvatar } from '#domain/people';
import { AVATAR_SIZES, blobOfAvatar } from '#domain/pictures';
import type { LogItem } from '#model';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { botUpdated, managedBot } from '../../bots.js';
import { asPart, botOf, type Parts, type RealmState, USER_PART } from '../../state.js';
import { tellReplicas } from '../../tell-replicas.js';
import type { RealmCommand } from '../command.js';
import { actingUser, LANE, tellEverybody } from '../personal/personal.js';
import { dropUploads, eraseBlobs, showUpload } from './pictures.js';

/** The account whose avatar changes: the caller's, or a bot of the caller's. @throws ApiError */
function changing({ settings }: RealmState, parts: Parts, caller: number, id: number): DirectoryUser {
  const acting = actingUser(parts, caller);
  if (id === caller) {
    if (settings.avatar_changes_disabled && !isAdmin(acting)) throw apiError('AVATAR_CHANGES_DISABLED');
    return acting;
  }
  return managedBot(parts, id, acting).user;
}

/** @param user of an account, as an upload of its avatar is named */
const picture = (user: number): string => `avatar/${user}`;
const blobsOf = (hash: string, numbers: readonly number[]): string[] =>
  numbers.flatMap((number) => AVATAR_SIZES.map((size) => blobOfAvatar(hash, number, size)));

/** Everybody sees it; who manages a bot hears of that, too. */
function avatarEvents(user: DirectoryUser, parts: Parts, version: number): LogItem[] {
  const events: LogItem[] = [
    tellReplicas({ user }),
    tellEverybody(version, {
      type: 'realm_user',
      op: 'update',
      person: { user_id: user.id, ...presentAvatar(user) },
    }),
  ];
  const bot = botOf(parts, user.id);
  return bot ? [...events, botUpdated(parts, { user, bot }, { avatar_url: avatarUrl(user) })] : events;
}

const changed = (user: DirectoryUser, parts: Parts, { version }: CommandContext) => ({
  reply: success({ avatar_url: avatarUrl(user) }, version),
  events: avatarEvents(user, parts, version),
});

/** Its picture is stored. */
export const setAvatar: RealmCommand<typeof realmCommands.setAvatar> = {
  lane: LANE,
  handle({ state, parts }, { user: id, hash, number }, _inputs, context) {
    const before = changing(state, parts, context.caller, id);
    const replaced = showUpload(parts, picture(id), number);
    if (!replaced) {
      const commands = eraseBlobs(context.realm, blobsOf(hash, [number]));
      return { reply: success({ avatar_url: avatarUrl(before) }), commands };
    }
    const avatar = { realm: context.realm, hash, number };
    const user: DirectoryUser = { ...before, avatarSource: 'U', avatarVersion: before.avatarVersion + 1, avatar };
    return {
      ...changed(user, parts, context),
      parts: { ...replaced.parts, [`${USER_PART}${id}`]: asPart(user) },
      commands: eraseBlobs(context.realm, blobsOf(hash, replaced.gone)),
    };
  },
};

/** Back to the gravatar. Its version grows also where there was none: the gravatar may be another one by now. */
export const removeAvatar: RealmCommand<typeof realmCommands.removeAvatar> = {
  lane: LANE,
  handle({ state, parts }, { user: id, hash }, _inputs, context) {
    const { avatar: _, ...before } = changing(state, parts, context.caller, id);
    const replaced = dropUploads(parts, picture(id));
    const user: DirectoryUser = { ...before, avatarSource: 'G', avatarVersion: before.avatarVersion + 1 };
    return {
      ...changed(user, parts, context),
      parts: { ...replaced.parts, [`${USER_PART}${id}`]: asPart(user) },
      commands: eraseBlobs(context.realm, blobsOf(hash, replaced.gone)),
    };
  },
};
