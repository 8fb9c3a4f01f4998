/** A user's own uploaded files (realm.md § Uploads and attachments). */

import { makeFileChangesCommand, makeSuccessReply, makeValueReply } from '#actors/shared';
import { findPauseOfLateDeletion, type Json } from '#base';
import { fileUriOfPath, parseFilePath, UNFINISHED_UPLOAD_LIFETIME_MS, UNLINKED_FILE_LIFETIME_MS } from '#domain/files';
import {
  listUnsentScheduledMessages,
  messageIndexTags,
  NEWEST_ANCHOR_MESSAGE_ID,
  toStoredMessage,
} from '#domain/messages';
import { type RealmId, realmActorKey, type UserId } from '#model';
import { type OutboxCommand, realmActorCommands, type userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { MessageReadStore } from '#ports/store';
import type { CommandContext, CommandOutcome } from '#runtime';
import {
  findFinishedOwnFile,
  findOwnFileOrUpload,
  formatAttachmentForApi,
  iterateOwnFiles,
  type LinkingMessage,
  MAX_LISTED_FILE_MESSAGES,
  makeOwnFilesRemoval,
  type OwnUploadedFile,
  ownFilePartName,
} from '../../files.js';
import {
  nextUserTimerTime,
  partsWithChanges,
  type UserActorState,
  type UserCommandHandler,
  userIdOfUserActorKey,
} from '../../state.js';

/**
 * Records a file before its bytes are stored. If the upload is interrupted, the record expires later, and the bytes are
 * erased with it. The frontend makes the path (src/domain/files/names.ts).
 */
export const beginUploadHandler: UserCommandHandler<typeof userActorCommands.fileBegin, number | null> = {
  lane: 'upload',
  inputs: async ({ size }, { realm }, { askActor, services }) => {
    const { uploadQuotaMib } = services.limits;
    const quota = uploadQuotaMib === 0 ? null : uploadQuotaMib * 1_048_576;
    return askActor(realmActorKey(realm), realmActorCommands.fileId, { size, quota });
  },
  handle({ parts }, { path, name, size }, id, { now }) {
    if (id === null) throw apiError('UPLOAD_QUOTA');
    const expires = now + UNFINISHED_UPLOAD_LIFETIME_MS;
    const file: OwnUploadedFile = { id, path, name, size, created: now, ready: false, messages: [], expires };
    const changed = { [ownFilePartName(path)]: file };
    return { reply: makeSuccessReply(), parts: changed, due: nextUserTimerTime(partsWithChanges(parts, changed)) };
  },
};

/** Completes an upload: its bytes are stored, and the file exists from now on. */
export const completeUploadHandler: UserCommandHandler<typeof userActorCommands.fileDone> = {
  handle({ parts }, { path }, _inputs, { key, realm, now }) {
    const begun = findOwnFileOrUpload(parts, path);
    if (!begun) throw apiError('SERVICE_UNAVAILABLE');
    const file: OwnUploadedFile = { ...begun, ready: true, created: now, expires: now + UNLINKED_FILE_LIFETIME_MS };
    const changed = { [ownFilePartName(path)]: file };
    const added = { op: 'add', attachment: formatAttachmentForApi(file), bytes: file.size } as const;
    return {
      reply: makeSuccessReply({ uri: fileUriOfPath(path) }),
      parts: changed,
      due: nextUserTimerTime(partsWithChanges(parts, changed)),
      commands: [[makeFileChangesCommand(realm, userIdOfUserActorKey(key), [added])]],
      replyAfterCommands: true,
    };
  },
};

/** GET /attachments: lists the user's own files. */
export const listAttachmentsHandler: UserCommandHandler<typeof userActorCommands.attachments, number> = {
  lane: 'read',
  read: true,
  inputs: (_args, { realm }, { askActor }) => askActor(realmActorKey(realm), realmActorCommands.spaceUsed, {}),
  handle({ parts }, _args, upload_space_used) {
    const files = [...iterateOwnFiles(parts)].filter((file) => file.ready).sort((a, b) => a.id - b.id);
    return { reply: makeSuccessReply({ attachments: files.map(formatAttachmentForApi), upload_space_used }) };
  },
};

/** DELETE /attachments/{attachment_id}: deletes one of the user's own files. */
export const removeAttachmentHandler: UserCommandHandler<typeof userActorCommands.fileRemove> = {
  handle({ parts }, { id }, _inputs, { key, realm }) {
    const wanted = /^[0-9]{1,15}$/.test(id) ? Number(id) : -1;
    const file = [...iterateOwnFiles(parts)].find((one) => one.ready && one.id === wanted);
    if (!file) throw apiError('INVALID_ATTACHMENT');
    const { deletedParts: changed, fileChangesCommand } = makeOwnFilesRemoval(realm, userIdOfUserActorKey(key), [file]);
    return {
      reply: makeSuccessReply(),
      parts: changed,
      due: nextUserTimerTime(partsWithChanges(parts, changed)),
      commands: [[fileChangesCommand]],
      replyAfterCommands: true,
    };
  },
};

/**
 * Records that a message which links the file was sent or edited. The conversation's actor sends this command, which is
 * never refused.
 */
export const recordFileLinkedHandler: UserCommandHandler<typeof userActorCommands.fileLinked> = {
  handle({ parts }, { path, message, sent }, _inputs, { key, realm }) {
    const file = findFinishedOwnFile(parts, path);
    if (!file || file.messages.some(({ id }) => id === message)) return { reply: makeValueReply(null) };
    const messages = [...file.messages, { id: message, sent }].slice(-MAX_LISTED_FILE_MESSAGES);
    return makeFileUpdateOutcome(parts, realm, userIdOfUserActorKey(key), { ...file, messages, expires: null });
  },
};

/**
 * Records that messages which linked the file were deleted, or that one was edited. Deletion of the last such message
 * deletes the file; after an edit, or if a scheduled message will link it, the unlinked file is kept as long as a new
 * one. The inputs are the newest messages that still link the file: the record may list too few of them.
 */
export const recordFileUnlinkedHandler: UserCommandHandler<
  typeof userActorCommands.fileUnlinked,
  readonly LinkingMessage[]
> = {
  inputs: ({ path }, { realm }, { store }) => loadNewestLinkingMessages(path, realm, store),
  handle({ parts }, { path, message, others = [], deleted }, newest, { key, realm, now }) {
    const file = findFinishedOwnFile(parts, path);
    const unlinked = new Set([message, ...others]);
    if (!file?.messages.some(({ id }) => unlinked.has(id))) return { reply: makeValueReply(null) };
    const listed = new Set(file.messages.map(({ id }) => id));
    const messages = [
      ...newest.filter(({ id }) => !listed.has(id)),
      ...file.messages.filter(({ id }) => !unlinked.has(id)),
    ].slice(-MAX_LISTED_FILE_MESSAGES);
    if (messages.length === 0 && deleted && !isNeededByScheduledMessage(file, parts))
      return makeFileRemovalOutcome(parts, realm, userIdOfUserActorKey(key), [file]);
    const expires = messages.length === 0 ? now + UNLINKED_FILE_LIFETIME_MS : null;
    return makeFileUpdateOutcome(parts, realm, userIdOfUserActorKey(key), { ...file, messages, expires });
  },
};

/** Reads the newest messages that link the file, oldest first. */
async function loadNewestLinkingMessages(
  path: string,
  realm: RealmId,
  store: MessageReadStore,
): Promise<readonly LinkingMessage[]> {
  const records = await store.scanMessages({
    realm,
    index: { by: 'tag', tag: messageIndexTags.file(path) },
    from: NEWEST_ANCHOR_MESSAGE_ID,
    direction: 'older',
    limit: MAX_LISTED_FILE_MESSAGES,
  });
  return records.map((record) => ({ id: record.id, sent: toStoredMessage(record).body.sent })).reverse();
}

/** Maximum number of expired files deleted per commit. */
const MAX_EXPIRED_FILES_PER_COMMIT = 100;

/** True if a scheduled message will link the file. Every form of a file's address contains its token. */
function isNeededByScheduledMessage({ path }: OwnUploadedFile, parts: ReadonlyMap<string, Json>): boolean {
  const token = parseFilePath(path)?.token;
  return token !== undefined && listUnsentScheduledMessages(parts).some(({ content }) => content.includes(token));
}

/**
 * Deletes expired files, except those that a scheduled message will link. Files whose deletion comes days late are kept
 * for up to another day (`findPauseOfLateDeletion`). A time of expiry that was stored while the clock was ahead is
 * corrected.
 */
export function makeExpiredFileDeletions(
  parts: ReadonlyMap<string, Json>,
  { key, realm, now }: CommandContext,
): { readonly parts: Readonly<Record<string, Json>>; readonly commands: readonly OutboxCommand[] } {
  const latest = now + UNLINKED_FILE_LIFETIME_MS;
  const considered = [...iterateOwnFiles(parts)]
    .filter(({ expires }) => expires !== null && (expires <= now || expires > latest))
    .slice(0, MAX_EXPIRED_FILES_PER_COMMIT);
  /** The file with a new time of expiry if it is kept; undefined: the file is deleted. */
  const withLaterExpiry = (file: OwnUploadedFile): OwnUploadedFile | undefined => {
    if (file.expires! > latest || isNeededByScheduledMessage(file, parts)) return { ...file, expires: latest };
    const putOffUntil = findPauseOfLateDeletion(file.expires!, file.putOffUntil, now);
    return putOffUntil === undefined ? undefined : { ...file, expires: putOffUntil, putOffUntil };
  };
  const later: Record<string, Json> = {};
  const gone: OwnUploadedFile[] = [];
  for (const file of considered) {
    const kept = withLaterExpiry(file);
    if (kept) later[ownFilePartName(file.path)] = kept;
    else gone.push(file);
  }
  if (gone.length === 0) return { parts: later, commands: [] };
  const removal = makeOwnFilesRemoval(realm, userIdOfUserActorKey(key), gone);
  return { parts: { ...later, ...removal.deletedParts }, commands: [removal.fileChangesCommand] };
}

/** Stores the file whose list of linking messages changed; its owner gets the event with the new list. */
function makeFileUpdateOutcome(
  parts: ReadonlyMap<string, Json>,
  realm: RealmId,
  owner: UserId,
  file: OwnUploadedFile,
): CommandOutcome<UserActorState> {
  const changed = { [ownFilePartName(file.path)]: file };
  const update = { op: 'update', attachment: formatAttachmentForApi(file), bytes: 0 } as const;
  return {
    reply: makeValueReply(null),
    parts: changed,
    due: nextUserTimerTime(partsWithChanges(parts, changed)),
    commands: [[makeFileChangesCommand(realm, owner, [update])]],
    replyAfterCommands: true,
  };
}

function makeFileRemovalOutcome(
  parts: ReadonlyMap<string, Json>,
  realm: RealmId,
  owner: UserId,
  files: readonly OwnUploadedFile[],
): CommandOutcome<UserActorState> {
  const { deletedParts: changed, fileChangesCommand } = makeOwnFilesRemoval(realm, owner, files);
  return {
    reply: makeValueReply(null),
    parts: changed,
    due: nextUserTimerTime(partsWithChanges(parts, changed)),
    commands: [[fileChangesCommand]],
    replyAfterCommands: true,
  };
}
