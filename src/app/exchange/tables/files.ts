/**
 * Files of an export: uploads (attachment.json and uploads/), avatars/, emoji/ with zerver_realmemoji, realm_icons/.
 * Pictures are decoded like uploaded ones; a picture that can't be read is left out.
 */
import { MAX_LISTED_FILE_MESSAGES } from '#actors/user';
import type { JsonObject } from '#base';
import {
  customEmojiImagePath,
  emojiStillImagePath,
  MAX_CUSTOM_EMOJI,
  MAX_CUSTOM_EMOJI_NAME_CHARACTERS,
  makeEmojiImageFromUpload,
} from '#domain/emoji';
import {
  blobNameOfFile,
  contentTypeOfUploadedFile,
  makeFilePathFromBytes,
  parseFilePath,
  toFileDisplayName,
  UNLINKED_FILE_LIFETIME_MS,
} from '#domain/files';
import { isSystemBot } from '#domain/people';
import {
  AVATAR_SIZES,
  blobNameOfAvatar,
  blobNameOfPicture,
  blobNameOfRealmPicture,
  makeAvatarPngBySize,
  makeRealmIconPng,
  makeRealmLogoPng,
  urlPathOfPicture,
} from '#domain/pictures';
import { toUserId } from '#model';
import type { DirectoryEmoji, DirectoryView, RealmPictureName } from '#model/records';
import type { BlobBulkWriter } from '#ports/blobs';
import type { ExportFolder } from '../format/folder.js';
import type { CheckedExportRow } from '../format/row.js';
import { allOrFirstErrorWhenSettled } from '../format/settled.js';
import { FileCopyLimiter, MAX_FILES_COPIED_AT_ONCE } from '../format/transfers.js';
import { castToJson, type ImportedOrganizationDraft } from '../import/draft.js';
import { requireFirstActiveOwner } from './people.js';

/** An uploaded file that is being imported. */
interface ImportedFile {
  readonly id: number;
  readonly path: string;
  readonly owner: number;
  readonly name: string;
  readonly size: number;
  readonly created: number;
  readonly messages: { readonly id: number; readonly sent: number }[];
}

/** A row of attachment.json with the record of its file. */
interface ExportedFile {
  readonly row: CheckedExportRow;
  readonly record: CheckedExportRow;
  readonly old: string;
  readonly name: string;
  readonly owner: number;
  /** Path of the file here. */
  readonly path: string;
}

/** The uploads of an organization. Messages are read after the files, so the times of the messages are added later. */
export class ImportedUploads {
  readonly #importedFileByNewPath = new Map<string, ImportedFile>();
  /** Ids in the export of the messages that link to a file, by the new path of the file, until they are mapped. */
  readonly #oldMessageIdsByNewPath = new Map<string, readonly number[]>();
  readonly #copyLimiter = new FileCopyLimiter();
  /** Files that came by e-mail belong to a system bot in the export; here system bots have no files. */
  readonly #ownerOfSystemBotFiles: number;

  /** @param draft draft with all accounts */
  constructor(private readonly draft: ImportedOrganizationDraft) {
    this.#ownerOfSystemBotFiles = requireFirstActiveOwner(draft);
  }

  /**
   * Reads attachment.json and stores the files that it names.
   * @param blobs undefined in a dry run: no file is stored
   */
  async importAllFiles(folder: ExportFolder, blobs: BlobBulkWriter | undefined): Promise<void> {
    if (!(await folder.hasPlainFile('attachment.json'))) return;
    const records = new Map<string, CheckedExportRow>();
    for (const row of await folder.readFileRecords('uploads')) {
      records.set(row.textOrDefault('path'), row);
      if (row.hasNonNullField('s3_path')) records.set(row.textOrDefault('s3_path'), row);
    }
    for await (const rows of folder.readRowBatches('attachment.json')) {
      for (let from = 0; from < rows.length; from += MAX_FILES_COPIED_AT_ONCE) {
        const files = rows
          .slice(from, from + MAX_FILES_COPIED_AT_ONCE)
          .map((row) => this.#toExportedFile(row, records));
        const sizes = await allOrFirstErrorWhenSettled(files.map((file) => this.#storeFile(file, folder, blobs)));
        // The files get their numbers in the order of the rows, whichever was stored first.
        for (const [i, size] of sizes.entries()) this.#recordFileOrCountLeftOut(files[i]!, size);
      }
    }
  }

  #toExportedFile(row: CheckedExportRow, records: ReadonlyMap<string, CheckedExportRow>): ExportedFile {
    const old = row.textOrDefault('path_id');
    const record = records.get(old);
    if (!record) throw row.makeRowError(`uploads/records.json has no file ${JSON.stringify(old)}`);
    const { draft } = this;
    const name = toFileDisplayName(row.textOrDefault('file_name', 'file'));
    const id = draft.userIdMap.requireNewId(row, 'owner');
    const owner = isSystemBot({ id }) ? this.#ownerOfSystemBotFiles : id;
    const token = draft.deriveRepeatableBytes(`file/${row.requiredId}`);
    const path = makeFilePathFromBytes(draft.facts.realm, toUserId(owner), name, token);
    return { row, record, old, name, owner, path };
  }

  /** @returns the size of the file, bytes; undefined if the export does not contain the file */
  async #storeFile(
    { record, path, name }: ExportedFile,
    folder: ExportFolder,
    blobs: BlobBulkWriter | undefined,
  ): Promise<number | undefined> {
    const found = await folder.findUploadedFile('uploads', record.textOrDefault('path'));
    // Exports from local storage have no types.
    const type = contentTypeOfUploadedFile(record.textOrDefault('content_type'), name);
    if (!found || !blobs) return found?.size;
    const { realm } = this.draft.facts;
    const store = async () => blobs.put(realm, blobNameOfFile(path), await found.readAll(), type);
    await this.#copyLimiter.runCopy(found.size, store);
    return found.size;
  }

  #recordFileOrCountLeftOut({ row, old, name, owner, path }: ExportedFile, size: number | undefined): void {
    const { draft } = this;
    if (size === undefined) {
      draft.adjustedRowCounts.addCount(`uploaded file ${name}`);
      return;
    }
    draft.newFilePathByOldPath.set(old, path);
    const created = Math.floor(row.timeSecondsOrDefault('create_time', draft.createdMs / 1000) * 1000);
    const id = draft.uploadIdAndBytesCounters.next++;
    this.#importedFileByNewPath.set(path, { id, path, owner, name, size, created, messages: [] });
    draft.uploadIdAndBytesCounters.used += size;
    draft.addImportedCount('files');
    this.#oldMessageIdsByNewPath.set(path, row.numberListOrEmpty('messages'));
  }

  /** Finds the messages that link to the files. The messages must have their new ids. */
  mapMessagesOfFiles(): void {
    const { messageIdMap, filePathsByMessageId } = this.draft;
    for (const [path, messages] of this.#oldMessageIdsByNewPath) {
      for (const message of messages) {
        const id = messageIdMap.findNewId(message);
        if (id === undefined) continue;
        const known = filePathsByMessageId.get(id);
        if (known) known.push(path);
        else filePathsByMessageId.set(id, [path]);
      }
    }
    this.#oldMessageIdsByNewPath.clear();
  }

  /** Records the files to which a message links. @param sent time at which the message was sent, seconds since 1970 */
  recordMessageLinksToFiles(paths: readonly string[], id: number, sent: number): void {
    for (const path of paths) this.#importedFileByNewPath.get(path)?.messages.push({ id, sent });
  }

  /** Writes the files' records to their owners. */
  addFileRecordsToOwners(): void {
    for (const { owner, ...file } of this.#importedFileByNewPath.values()) {
      const expires = file.messages.length > 0 ? null : this.draft.facts.begun + UNLINKED_FILE_LIFETIME_MS;
      const token = parseFilePath(file.path)!.token;
      const messages = file.messages.slice(-MAX_LISTED_FILE_MESSAGES);
      this.draft.mergeUserParts(owner, { [`file/${token}`]: castToJson({ ...file, messages, ready: true, expires }) });
      if (expires !== null) {
        this.draft.earliestDueTimeMsByUserId.set(
          owner,
          Math.min(expires, this.draft.earliestDueTimeMsByUserId.get(owner) ?? Number.POSITIVE_INFINITY),
        );
      }
    }
  }
}

/**
 * Assigns ids to custom emoji before any row names them; `storeEmojiPicturesAndUpdateRecords` stores their pictures.
 * Active emoji beyond the maximum become deactivated, so that reactions keep them.
 */
export function assignEmojiIdsAndAddRecords(
  rows: readonly CheckedExportRow[],
  owner: number,
  draft: ImportedOrganizationDraft,
): void {
  let active = 0;
  [...rows]
    .sort((a, b) => a.requiredId - b.requiredId)
    .forEach((row, i) => {
      const id = i + 1;
      const name = row.textOrDefault('name');
      const cutName = name.slice(0, MAX_CUSTOM_EMOJI_NAME_CHARACTERS);
      if (cutName !== name) draft.adjustedRowCounts.addCount('name of a custom emoji: cut');
      const wasActive = !row.booleanOrDefault('deactivated');
      if (wasActive) active++;
      if (wasActive && active > MAX_CUSTOM_EMOJI)
        draft.adjustedRowCounts.addCount('active custom emoji beyond the maximum');
      draft.emojiIdMap.addNewId(row.requiredId, id);
      const author = row.hasNonNullField('author') ? draft.userIdMap.requireNewId(row, 'author') : owner;
      const emoji: DirectoryEmoji = {
        id,
        name: cutName,
        url: urlPathOfPicture(draft.facts.realm, customEmojiImagePath(id, '.png')),
        stillUrl: null,
        deactivated: !wasActive || active > MAX_CUSTOM_EMOJI,
        author: toUserId(author),
      };
      draft.directoryRecords.emoji.push(emoji);
      draft.addImportedCount('emoji');
    });
}

/** @param blobs undefined in a dry run: no picture is stored */
export async function storeEmojiPicturesAndUpdateRecords(
  rows: readonly CheckedExportRow[],
  folder: ExportFolder,
  blobs: BlobBulkWriter | undefined,
  draft: ImportedOrganizationDraft,
): Promise<void> {
  const { realm } = draft.facts;
  const recordsByFileName = new Map<string, CheckedExportRow[]>();
  for (const record of await folder.readFileRecords('emoji')) {
    const name = record.textOrDefault('file_name');
    const known = recordsByFileName.get(name);
    if (known) known.push(record);
    else recordsByFileName.set(name, [record]);
  }
  for (const row of rows) {
    const id = draft.emojiIdMap.requireNewId(row, 'id');
    const at = id - 1;
    const file = row.textOrDefault('file_name');
    // Only exports of this server have ids in the records.
    const record = recordsByFileName
      .get(file)
      ?.find((one) => one.nonNegativeIntegerOr('id', row.requiredId) === row.requiredId);
    const tried = record
      ? [record.textOrDefault('path'), `${record.textOrDefault('path')}${file.slice(file.lastIndexOf('.'))}`]
      : [];
    const bytes = await readFirstFileThatExists(folder, 'emoji', tried);
    const image = bytes && (await makeEmojiImageFromUpload(bytes).catch(() => undefined));
    if (!image) {
      draft.adjustedRowCounts.addCount(`picture of the emoji ${row.textOrDefault('name')}`);
      draft.directoryRecords.emoji[at] = { ...draft.directoryRecords.emoji[at]!, deactivated: true };
      continue;
    }
    await blobs?.put(realm, blobNameOfPicture(customEmojiImagePath(id, image.extension)), image.bytes, image.type);
    if (image.still) await blobs?.put(realm, blobNameOfPicture(emojiStillImagePath(id)), image.still, 'image/png');
    draft.directoryRecords.emoji[at] = {
      ...draft.directoryRecords.emoji[at]!,
      url: urlPathOfPicture(realm, customEmojiImagePath(id, image.extension)),
      stillUrl: image.still ? urlPathOfPicture(realm, emojiStillImagePath(id)) : null,
    };
  }
}

async function readFirstFileThatExists(folder: ExportFolder, name: string, paths: readonly string[]) {
  for (const path of paths) {
    const bytes = await folder.readUploadedFile(name, path);
    if (bytes) return bytes;
  }
  return undefined;
}

/**
 * Stores avatars, made from the original picture where the export has it.
 * @param blobs undefined in a dry run: no picture is stored
 */
export async function storeAvatarsAndUpdateAccounts(
  folder: ExportFolder,
  blobs: BlobBulkWriter | undefined,
  draft: ImportedOrganizationDraft,
): Promise<void> {
  const byUser = new Map<number, string[]>();
  for (const row of await folder.readFileRecords('avatars')) {
    const user = draft.userIdMap.findNewId(row.requireNonNegativeInteger('user_profile_id'));
    if (user === undefined) continue;
    const path = row.textOrDefault('path');
    const paths = byUser.get(user) ?? [];
    if (path.endsWith('.original')) paths.unshift(path);
    else paths.push(path);
    byUser.set(user, paths);
  }
  const { realm } = draft.facts;
  for (const [at, record] of draft.directoryRecords.users.entries()) {
    const paths = byUser.get(record.id);
    if (!paths) continue;
    const bytes = await readFirstFileThatExists(folder, 'avatars', paths);
    const images = bytes && (await makeAvatarPngBySize(bytes).catch(() => undefined));
    if (!images) {
      draft.adjustedRowCounts.addCount(`avatar of ${record.fullName}`);
      continue;
    }
    const hash = draft.secrets.avatarHashOfUser(realm, record.id);
    for (const size of AVATAR_SIZES)
      await blobs?.put(realm, blobNameOfAvatar(hash, 1, size), images[size], 'image/png');
    draft.realmParts[`uploads/avatar/${record.id}`] = { last: 1, since: 1 };
    draft.directoryRecords.users[at] = { ...record, avatarSource: 'U', avatar: { realm, hash, number: 1 } };
    draft.addImportedCount('avatars');
  }
}

const IMPORTED_REALM_PICTURE_NAMES: readonly RealmPictureName[] = ['icon', 'logo', 'night_logo'];

/** @param blobs undefined in a dry run: no picture is stored */
export async function storeRealmPicturesAndUpdateDraft(
  folder: ExportFolder,
  blobs: BlobBulkWriter | undefined,
  draft: ImportedOrganizationDraft,
): Promise<void> {
  const { realm } = draft.facts;
  const paths = (await folder.readFileRecords('realm_icons')).map((row) => row.textOrDefault('path'));
  for (const name of IMPORTED_REALM_PICTURE_NAMES) {
    const own = paths.filter((path) => path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '') === name);
    if (own.length === 0) continue;
    const sorted = [...own].sort((a, b) => Number(b.endsWith('.original')) - Number(a.endsWith('.original')));
    const bytes = await readFirstFileThatExists(folder, 'realm_icons', sorted);
    const make = name === 'icon' ? makeRealmIconPng : makeRealmLogoPng;
    const image = bytes && (await make(bytes).catch(() => undefined));
    if (!image) {
      draft.adjustedRowCounts.addCount(`picture of the organization: ${name}`);
      continue;
    }
    await blobs?.put(realm, blobNameOfRealmPicture(name, 1), image, 'image/png');
    draft.directorySingletons.pictures = { ...draft.directorySingletons.pictures, [name]: { number: 1, version: 2 } };
    draft.realmParts[`uploads/${name}`] = { last: 1, since: 1 };
    draft.addImportedCount('pictures of the organization');
  }
}

/** Returns the file name of the emoji's picture, behind the last slash of its URL. */
export const emojiPictureFileName = ({ url }: DirectoryEmoji): string => url.slice(url.lastIndexOf('/') + 1);

export const makeCustomEmojiRows = (directory: DirectoryView): JsonObject[] =>
  [...directory.customEmoji()]
    .sort((a, b) => a.id - b.id)
    .map((emoji) => ({
      id: emoji.id,
      realm: 1,
      name: emoji.name,
      file_name: emojiPictureFileName(emoji),
      author: emoji.author,
      is_animated: emoji.stillUrl !== null,
      deactivated: emoji.deactivated,
    }));
