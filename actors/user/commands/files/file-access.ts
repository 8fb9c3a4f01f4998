/** Access to uploaded files: for the owner, and for users who may access a message that links the file. */

import { successReply, valueReply } from '#actors/shared';
import type { Json } from '#base';
import { parseFilePath } from '#domain/files';
import { messageTag, NEWEST_ANCHOR, type StoredMessage, toStoredMessage } from '#domain/messages';
import { streamId, userId, userKey } from '#model';
import { userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { InputContext } from '#runtime';
import type { InputSources } from '../../../services.js';
import { findFile } from '../../files.js';
import { type UserCommand, type UserState, userIdOfKey } from '../../state.js';
import { loadReadingRights } from '../messages/on-message.js';

type Access = 'granted' | 'denied' | 'none';

const BATCH = 100;

/**
 * True if a message that links the file satisfies the condition. Reads the messages, newest first, because the owner's
 * actor learns of them only after they are sent.
 */
async function isLinkedBy(
  token: string,
  { realm }: InputContext<UserState, undefined>,
  { store }: InputSources,
  satisfies: (message: StoredMessage) => boolean | Promise<boolean>,
): Promise<boolean> {
  const index = { by: 'tag', tag: messageTag.file(token) } as const;
  for (let from = NEWEST_ANCHOR; ; ) {
    const records = await store.scanMessages({ realm, index, from, direction: 'older', limit: BATCH });
    for (const record of records) if (await satisfies(toStoredMessage(record))) return true;
    if (records.length < BATCH) return false;
    from = records.at(-1)!.id;
  }
}

async function access(
  path: string,
  context: InputContext<UserState, undefined>,
  sources: InputSources,
): Promise<Access> {
  const parsed = parseFilePath(path);
  const directory = await sources.directory(context.realm);
  if (!parsed || parsed.realm !== context.realm || !directory.user(parsed.owner)) return 'none';
  if (parsed.owner === context.caller) return findFile(context.view.parts, path) ? 'granted' : 'none';
  const exists = await sources.ask(userKey(context.realm, parsed.owner), userCommands.fileExists, { path });
  if (exists !== true) return 'none';
  if (!directory.user(userId(context.caller))) return 'denied';
  const { reader } = await loadReadingRights(context, sources);
  const may = await isLinkedBy(
    parsed.token,
    context,
    sources,
    async (message) => (await reader.access(message)) !== undefined,
  );
  return may ? 'granted' : 'denied';
}

export const checkFileExistsHandler: UserCommand<typeof userCommands.fileExists> = {
  lane: 'read',
  read: true,
  handle: ({ parts }, { path }) => ({ reply: valueReply(findFile(parts, path) !== undefined) }),
};

const checkGranted = (access: Access): void => {
  if (access === 'none') throw apiError('FILE_NOT_FOUND');
  if (access === 'denied') throw apiError('FILE_FORBIDDEN');
};

/** Checks that the caller may see the file; otherwise the command is refused. */
export const checkFileAccessHandler: UserCommand<typeof userCommands.fileAccess, Access> = {
  lane: 'read',
  read: true,
  inputs: ({ path }, context, sources) => access(path, context, sources),
  handle(_view, _args, found) {
    checkGranted(found);
    return { reply: successReply() };
  },
};

/** Replies with those files that the caller may see; a message of the caller may claim them. */
export const listAccessibleFilesHandler: UserCommand<typeof userCommands.filesAccessible, readonly string[]> = {
  lane: 'read',
  read: true,
  async inputs({ paths }, context, sources) {
    const found = await Promise.all(paths.map((path) => access(path, context, sources)));
    return paths.filter((_, i) => found[i] === 'granted');
  },
  handle: (_view, _args, paths) => ({ reply: valueReply(paths as unknown as Json) }),
};

/**
 * Checks that visitors without an account may see the file; otherwise the command is refused. The owner's actor runs
 * the command.
 */
export const checkFilePublicHandler: UserCommand<typeof userCommands.filePublic, Access> = {
  lane: 'read',
  read: true,
  async inputs({ path }, context, sources) {
    const { parts } = context.view;
    const parsed = parseFilePath(path);
    if (!parsed || parsed.owner !== userIdOfKey(context.key) || !findFile(parts, path)) return 'none';
    const directory = await sources.directory(context.realm);
    const may = await isLinkedBy(parsed.token, context, sources, ({ body }) => {
      const stream = body.stream === 0 ? undefined : directory.stream(streamId(body.stream));
      return stream?.webPublic === true && !stream.archived;
    });
    return may ? 'granted' : 'denied';
  },
  handle(_view, _args, found) {
    checkGranted(found);
    return { reply: successReply() };
  },
};
