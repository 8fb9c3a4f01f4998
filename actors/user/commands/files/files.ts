/** A user's own uploaded files (realm.md § Uploads and attachments). */

import { reportFileChanges, successReply, valueReply } from '#actors/shared';
import type { Json } from '#base';
import { fileUriOfPath, parseFilePath, UNFINISHED_UPLOAD_LIFETIME_MS, UNLINKED_FILE_LIFETIME_MS } from '#domain/files';
import { undeliveredScheduled } from '#domain/messages';
import { type RealmId, realmKey, type UserId } from '#model';
import { type OutboxCommand, realmCommands, type userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { CommandContext, Outcome } from '#runtime';
import {
  filePartName,
  findFile,
  findFileOrUpload,
  type OwnFile,
  ownFiles,
  presentAttachment,
  removeFiles,
} from '../../files.js';
import { applyPartChanges, nextTimerTime, type UserCommand, type UserState, userIdOfKey } from '../../state.js';

/**
 * Records a file before its bytes are stored. If the upload is interrupted, the record expires later, and the bytes are
 * erased with it. The frontend makes the path (src/domain/files/names.ts).
 */
export const beginUploadHandler: UserCommand<typeof userCommands.fileBegin, number | null> = {
  lane: 'upload',
  inputs: async ({ size }, { realm }, { ask, services }) => {
    const { uploadQuotaMib } = services.limits;
    const quota = uploadQuotaMib === 0 ? null : uploadQuotaMib * 1_048_576;
    return ask(realmKey(realm), realmCommands.fileId, { size, quota });
  },
  handle({ parts }, { path, name, size }, id, { now }) {
    if (id === null) throw apiError('UPLOAD_QUOTA');
    const expires = now + UNFINISHED_UPLOAD_LIFETIME_MS;
    const file: OwnFile = { id, path, name, size, created: now, ready: false, messages: [], expires };
    const changed = { [filePartName(path)]: file };
    return { reply: successReply(), parts: changed, due: nextTimerTime(applyPartChanges(parts, changed)) };
  },
};

/** Completes an upload: its bytes are stored, and the file exists from now on. */
export const completeUploadHandler: UserCommand<typeof userCommands.fileDone> = {
  handle({ parts }, { path }, _inputs, { key, realm, now }) {
    const begun = findFileOrUpload(parts, path);
    if (!begun) throw apiError('SERVICE_UNAVAILABLE');
    const file: OwnFile = { ...begun, ready: true, created: now, expires: now + UNLINKED_FILE_LIFETIME_MS };
    const changed = { [filePartName(path)]: file };
    const added = { op: 'add', attachment: presentAttachment(file), bytes: file.size } as const;
    return {
      reply: successReply({ uri: fileUriOfPath(path) }),
      parts: changed,
      due: nextTimerTime(applyPartChanges(parts, changed)),
      commands: [[reportFileChanges(realm, userIdOfKey(key), [added])]],
      replyAfterCommands: true,
    };
  },
};

/** GET /attachments: lists the user's own files. */
export const listAttachmentsHandler: UserCommand<typeof userCommands.attachments, number> = {
  lane: 'read',
  read: true,
  inputs: (_args, { realm }, { ask }) => ask(realmKey(realm), realmCommands.spaceUsed, {}),
  handle({ parts }, _args, upload_space_used) {
    const files = [...ownFiles(parts)].filter((file) => file.ready).sort((a, b) => a.id - b.id);
    return { reply: successReply({ attachments: files.map(presentAttachment), upload_space_used }) };
  },
};

/** DELETE /attachments/{attachment_id}: deletes one of the user's own files. */
export const removeAttachmentHandler: UserCommand<typeof userCommands.fileRemove> = {
  handle({ parts }, { id }, _inputs, { key, realm }) {
    const wanted = /^[0-9]{1,15}$/.test(id) ? Number(id) : -1;
    const file = [...ownFiles(parts)].find((one) => one.ready && one.id === wanted);
    if (!file) throw apiError('INVALID_ATTACHMENT');
    const { parts: changed, command } = removeFiles(realm, userIdOfKey(key), [file]);
    return {
      reply: successReply(),
      parts: changed,
      due: nextTimerTime(applyPartChanges(parts, changed)),
      commands: [[command]],
      replyAfterCommands: true,
    };
  },
};

/**
 * Records that a message which links the file was sent or edited. The conversation's actor sends this command, which is
 * never refused.
 */
export const recordFileLinkedHandler: UserCommand<typeof userCommands.fileLinked> = {
  handle({ parts }, { path, message, sent }, _inputs, { key, realm }) {
    const file = findFile(parts, path);
    if (!file || file.messages.some(({ id }) => id === message)) return { reply: valueReply(null) };
    const linked: OwnFile = { ...file, messages: [...file.messages, { id: message, sent }], expires: null };
    const changed = { [filePartName(path)]: linked };
    const update = { op: 'update', attachment: presentAttachment(linked), bytes: 0 } as const;
    return {
      reply: valueReply(null),
      parts: changed,
      due: nextTimerTime(applyPartChanges(parts, changed)),
      commands: [[reportFileChanges(realm, userIdOfKey(key), [update])]],
      replyAfterCommands: true,
    };
  },
};

/**
 * Records that a message which linked the file was deleted or edited. Deletion of the last such message deletes the
 * file; after an edit, an unlinked file is kept as long as a new one.
 */
export const recordFileUnlinkedHandler: UserCommand<typeof userCommands.fileUnlinked> = {
  handle({ parts }, { path, message, deleted }, _inputs, { key, realm, now }) {
    const file = findFile(parts, path);
    if (!file?.messages.some(({ id }) => id === message)) return { reply: valueReply(null) };
    const messages = file.messages.filter(({ id }) => id !== message);
    if (messages.length === 0 && deleted) return removalOutcome(parts, realm, userIdOfKey(key), [file]);
    const expires = messages.length === 0 ? now + UNLINKED_FILE_LIFETIME_MS : null;
    const changed = { [filePartName(path)]: { ...file, messages, expires } };
    return { reply: valueReply(null), parts: changed, due: nextTimerTime(applyPartChanges(parts, changed)) };
  },
};

/** Maximum number of expired files deleted per commit. */
const SWEEP = 100;

/** True if a scheduled message will link the file. Every form of a file's address contains its token. */
function awaitsScheduled({ path }: OwnFile, parts: ReadonlyMap<string, Json>): boolean {
  const token = parseFilePath(path)?.token;
  return token !== undefined && undeliveredScheduled(parts).some(({ content }) => content.includes(token));
}

/** Deletes expired files; those that a scheduled message will link are kept for longer. */
export function deleteExpiredFiles(
  parts: ReadonlyMap<string, Json>,
  { key, realm, now }: CommandContext,
): { readonly parts: Readonly<Record<string, Json>>; readonly commands: readonly OutboxCommand[] } {
  const over = [...ownFiles(parts)].filter(({ expires }) => expires !== null && expires <= now).slice(0, SWEEP);
  const kept = over.filter((file) => awaitsScheduled(file, parts));
  const later = Object.fromEntries(
    kept.map((file) => [
      filePartName(file.path),
      { ...file, expires: now + UNLINKED_FILE_LIFETIME_MS } satisfies OwnFile,
    ]),
  );
  const gone = over.filter((file) => !kept.includes(file));
  if (gone.length === 0) return { parts: later, commands: [] };
  const removal = removeFiles(realm, userIdOfKey(key), gone);
  return { parts: { ...later, ...removal.parts }, commands: [removal.command] };
}

function removalOutcome(
  parts: ReadonlyMap<string, Json>,
  realm: RealmId,
  owner: UserId,
  files: readonly OwnFile[],
): Outcome<UserState> {
  const { parts: changed, command } = removeFiles(realm, owner, files);
  return {
    reply: valueReply(null),
    parts: changed,
    due: nextTimerTime(applyPartChanges(parts, changed)),
    commands: [[command]],
    replyAfterCommands: true,
  };
}
