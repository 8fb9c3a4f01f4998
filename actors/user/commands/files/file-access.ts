/** Access to uploaded files: for the owner, and for users who may access a message that links the file. */

import { makeSuccessReply, makeValueReply } from '#actors/shared';
import type { Json } from '#base';
import { parseFilePath } from '#domain/files';
import { messageIndexTags, NEWEST_ANCHOR_MESSAGE_ID, type StoredMessage, toStoredMessage } from '#domain/messages';
import { isSystemBot } from '#domain/people';
import { toStreamId, toUserId, userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { CommandInputContext } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import { findFinishedOwnFile } from '../../files.js';
import { type UserActorState, type UserCommandHandler, userIdOfUserActorKey } from '../../state.js';
import { loadMessageReadingRights } from '../messages/on-message.js';

type FileAccess = 'granted' | 'denied' | 'none';

const FILE_LINK_SCAN_BATCH_MESSAGES = 100;

/**
 * True if a message that links the file satisfies the condition. Reads the messages, newest first, because the owner's
 * actor learns of them only after they are sent.
 */
async function isLinkedByMatchingMessage(
  path: string,
  { realm }: CommandInputContext<UserActorState, undefined>,
  { store }: ActorInputSources,
  satisfies: (message: StoredMessage) => boolean | Promise<boolean>,
): Promise<boolean> {
  const index = { by: 'tag', tag: messageIndexTags.file(path) } as const;
  for (let from = NEWEST_ANCHOR_MESSAGE_ID; ; ) {
    const records = await store.scanMessages({
      realm,
      index,
      from,
      direction: 'older',
      limit: FILE_LINK_SCAN_BATCH_MESSAGES,
    });
    for (const record of records) if (await satisfies(toStoredMessage(record))) return true;
    if (records.length < FILE_LINK_SCAN_BATCH_MESSAGES) return false;
    from = records.at(-1)!.id;
  }
}

async function determineFileAccess(
  path: string,
  context: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<FileAccess> {
  const parsed = parseFilePath(path);
  const directory = await sources.loadDirectory(context.realm);
  const owner = parsed && directory.user(parsed.owner);
  // System bots have no files, and no actor that could answer.
  if (!owner || parsed.realm !== context.realm || isSystemBot(owner)) return 'none';
  if (parsed.owner === context.caller) return findFinishedOwnFile(context.view.parts, path) ? 'granted' : 'none';
  const exists = await sources.askActor(userActorKey(context.realm, parsed.owner), userActorCommands.fileExists, {
    path,
  });
  if (exists !== true) return 'none';
  if (!directory.user(toUserId(context.caller))) return 'denied';
  const { reader } = await loadMessageReadingRights(context, sources);
  const may = await isLinkedByMatchingMessage(
    path,
    context,
    sources,
    async (message) => (await reader.findReadableInAnyView(message)) !== undefined,
  );
  return may ? 'granted' : 'denied';
}

export const readFileExistenceHandler: UserCommandHandler<typeof userActorCommands.fileExists> = {
  lane: 'read',
  read: true,
  handle: ({ parts }, { path }) => ({ reply: makeValueReply(findFinishedOwnFile(parts, path) !== undefined) }),
};

const throwUnlessFileAccessGranted = (access: FileAccess): void => {
  if (access === 'none') throw apiError('FILE_NOT_FOUND');
  if (access === 'denied') throw apiError('FILE_FORBIDDEN');
};

/** Checks that the caller may see the file; otherwise the command is refused. */
export const checkFileAccessHandler: UserCommandHandler<typeof userActorCommands.fileAccess, FileAccess> = {
  lane: 'read',
  read: true,
  inputs: ({ path }, context, sources) => determineFileAccess(path, context, sources),
  handle(_view, _args, found) {
    throwUnlessFileAccessGranted(found);
    return { reply: makeSuccessReply() };
  },
};

/** Replies with those files that the caller may see; a message of the caller may claim them. */
export const filterAccessibleFilesHandler: UserCommandHandler<
  typeof userActorCommands.filesAccessible,
  readonly string[]
> = {
  lane: 'read',
  read: true,
  async inputs({ paths }, context, sources) {
    const found = await Promise.all(paths.map((path) => determineFileAccess(path, context, sources)));
    return paths.filter((_, i) => found[i] === 'granted');
  },
  handle: (_view, _args, paths) => ({ reply: makeValueReply(paths as unknown as Json) }),
};

/**
 * Checks that visitors without an account may see the file; otherwise the command is refused. The owner's actor runs
 * the command.
 */
export const checkFileIsPublicHandler: UserCommandHandler<typeof userActorCommands.filePublic, FileAccess> = {
  lane: 'read',
  read: true,
  async inputs({ path }, context, sources) {
    const { parts } = context.view;
    const parsed = parseFilePath(path);
    if (!parsed || parsed.owner !== userIdOfUserActorKey(context.key) || !findFinishedOwnFile(parts, path))
      return 'none';
    const directory = await sources.loadDirectory(context.realm);
    const may = await isLinkedByMatchingMessage(path, context, sources, ({ body }) => {
      const stream = body.stream === 0 ? undefined : directory.stream(toStreamId(body.stream));
      return stream?.webPublic === true && !stream.archived;
    });
    return may ? 'granted' : 'denied';
  },
  handle(_view, _args, found) {
    throwUnlessFileAccessGranted(found);
    return { reply: makeSuccessReply() };
  },
};
