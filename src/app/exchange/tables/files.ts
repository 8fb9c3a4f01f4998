/**
 * Files of an export: uploads (attachment.json and uploads/), avatars/, emoji/ with zerver_realmemoji, realm_icons/.
 * Pictures are decoded like uploaded ones; a picture that can't be read is left out.
 */
import type { JsonObject } from '#base';
import { emojiImagePath, emojiStillImagePath, makeEmojiImage } from '#domain/emoji';
import {
  blobNameOfFile,
  fileDisplayName,
  makeFilePathFromBytes,
  parseFilePath,
  UNLINKED_FILE_LIFETIME_MS,
} from '#domain/files';
import {
  AVATAR_SIZES,
  blobNameOfAvatar,
  blobNameOfPicture,
  blobNameOfRealmPicture,
  makeAvatarImages,
  makeRealmIconImage,
  makeRealmLogoImage,
  pictureUrlPath,
} from '#domain/pictures';
import { toUserId } from '#model';
import type { DirectoryEmoji, DirectoryView, RealmPictureName } from '#model/records';
import type { BlobStorage } from '#ports/blobs';
import type { ExportFolder } from '../format/folder.js';
import type { ExportTableRow } from '../format/row.js';
import { asImportedJson, type ImportedOrganizationDraft } from '../import/draft.js';

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

/** The uploads of an organization. Messages are read after the files, so the times of the messages are added later. */
export class ImportedUploads {
  readonly #files = new Map<string, ImportedFile>();

  constructor(private readonly draft: ImportedOrganizationDraft) {}

  /**
   * Reads attachment.json and stores the files that it names.
   * @param blobs undefined in a dry run: no file is stored
   */
  async import(folder: ExportFolder, blobs: BlobStorage | undefined): Promise<void> {
    if (!(await folder.has('attachment.json'))) return;
    const records = new Map<string, ExportTableRow>();
    for (const row of await folder.readFileRecords('uploads')) {
      records.set(row.text('path'), row);
      if (row.has('s3_path')) records.set(row.text('s3_path'), row);
    }
    for await (const rows of folder.readRowChunks('attachment.json')) {
      for (const row of rows) await this.#importFile(row, records, folder, blobs);
    }
  }

  async #importFile(
    row: ExportTableRow,
    records: ReadonlyMap<string, ExportTableRow>,
    folder: ExportFolder,
    blobs: BlobStorage | undefined,
  ): Promise<void> {
    const old = row.text('path_id');
    const record = records.get(old);
    if (!record) throw row.makeRowError(`uploads/records.json has no file ${JSON.stringify(old)}`);
    const { draft } = this;
    const name = fileDisplayName(row.text('file_name', 'file'));
    const bytes = await folder.file('uploads', record.text('path'));
    if (!bytes) {
      draft.leftOut.add(`uploaded file ${name}`);
      return;
    }
    const owner = draft.userIds.getOrThrow(row.number('owner'), row.table);
    const { realm } = draft.facts;
    const path = makeFilePathFromBytes(realm, toUserId(owner), name, draft.deriveBytes(`file/${row.id}`));
    const type = record.text('content_type', 'application/octet-stream');
    await blobs?.put(realm, blobNameOfFile(path), bytes, type);
    draft.newFilePaths.set(old, path);
    const created = Math.floor(row.timeSeconds('create_time', draft.createdMs / 1000) * 1000);
    this.#files.set(path, {
      id: draft.uploadCounters.next++,
      path,
      owner,
      name,
      size: bytes.length,
      created,
      messages: [],
    });
    draft.uploadCounters.used += bytes.length;
    draft.countImportedRows('files');
    for (const message of row.numberList('messages')) {
      const id = draft.messageIds.find(message);
      if (id === undefined) continue;
      const known = draft.filePathsByMessage.get(id);
      if (known) known.push(path);
      else draft.filePathsByMessage.set(id, [path]);
    }
  }

  /** Records the files to which a message links. @param sent time at which the message was sent, seconds since 1970 */
  linkFilesToMessage(paths: readonly string[], id: number, sent: number): void {
    for (const path of paths) this.#files.get(path)?.messages.push({ id, sent });
  }

  /** Writes the files' records to their owners. */
  finish(): void {
    for (const { owner, ...file } of this.#files.values()) {
      const expires = file.messages.length > 0 ? null : this.draft.facts.begun + UNLINKED_FILE_LIFETIME_MS;
      const token = parseFilePath(file.path)!.token;
      this.draft.addUserParts(owner, { [`file/${token}`]: asImportedJson({ ...file, ready: true, expires }) });
      if (expires !== null) {
        this.draft.userDueTimesMs.set(
          owner,
          Math.min(expires, this.draft.userDueTimesMs.get(owner) ?? Number.POSITIVE_INFINITY),
        );
      }
    }
  }
}

/** Assigns ids to custom emoji before any row names them; `storeImportedEmoji` stores their pictures. */
export function importEmoji(rows: readonly ExportTableRow[], owner: number, draft: ImportedOrganizationDraft): void {
  [...rows]
    .sort((a, b) => a.id - b.id)
    .forEach((row, i) => {
      const id = i + 1;
      draft.emojiIds.set(row.id, id);
      const author = row.has('author') ? draft.userIds.getOrThrow(row.number('author'), row.table) : owner;
      const emoji: DirectoryEmoji = {
        id,
        name: row.text('name'),
        url: pictureUrlPath(draft.facts.realm, emojiImagePath(id, '.png')),
        stillUrl: null,
        deactivated: row.flag('deactivated'),
        author: toUserId(author),
      };
      draft.records.emoji.push(emoji);
      draft.countImportedRows('emoji');
    });
}

export async function storeImportedEmoji(
  rows: readonly ExportTableRow[],
  folder: ExportFolder,
  blobs: BlobStorage,
  draft: ImportedOrganizationDraft,
): Promise<void> {
  const { realm } = draft.facts;
  const records = await folder.readFileRecords('emoji');
  for (const row of rows) {
    const id = draft.emojiIds.getOrThrow(row.id, row.table);
    const at = id - 1;
    const file = row.text('file_name');
    const record = records.find((one) => one.text('file_name') === file && one.id === row.id);
    const tried = record ? [record.text('path'), `${record.text('path')}${file.slice(file.lastIndexOf('.'))}`] : [];
    const bytes = await readFirstExistingFile(folder, 'emoji', tried);
    const image = bytes && (await makeEmojiImage(bytes).catch(() => undefined));
    if (!image) {
      draft.leftOut.add(`picture of the emoji ${row.text('name')}`);
      draft.records.emoji[at] = { ...draft.records.emoji[at]!, deactivated: true };
      continue;
    }
    await blobs.put(realm, blobNameOfPicture(emojiImagePath(id, image.extension)), image.bytes, image.type);
    if (image.still) await blobs.put(realm, blobNameOfPicture(emojiStillImagePath(id)), image.still, 'image/png');
    draft.records.emoji[at] = {
      ...draft.records.emoji[at]!,
      url: pictureUrlPath(realm, emojiImagePath(id, image.extension)),
      stillUrl: image.still ? pictureUrlPath(realm, emojiStillImagePath(id)) : null,
    };
  }
}

async function readFirstExistingFile(folder: ExportFolder, name: string, paths: readonly string[]) {
  for (const path of paths) {
    const bytes = await folder.file(name, path);
    if (bytes) return bytes;
  }
  return undefined;
}

/** Stores avatars, made from the original picture where the export has it. */
export async function storeImportedAvatars(
  folder: ExportFolder,
  blobs: BlobStorage,
  draft: ImportedOrganizationDraft,
): Promise<void> {
  const byUser = new Map<number, string[]>();
  for (const row of await folder.readFileRecords('avatars')) {
    const user = draft.userIds.find(row.number('user_profile_id'));
    if (user === undefined) continue;
    const path = row.text('path');
    const paths = byUser.get(user) ?? [];
    if (path.endsWith('.original')) paths.unshift(path);
    else paths.push(path);
    byUser.set(user, paths);
  }
  const { realm } = draft.facts;
  for (const [user, paths] of byUser) {
    const at = draft.records.users.findIndex(({ id }) => id === user);
    const record = draft.records.users[at];
    if (!record) continue;
    const bytes = await readFirstExistingFile(folder, 'avatars', paths);
    const images = bytes && (await makeAvatarImages(bytes).catch(() => undefined));
    if (!images) {
      draft.leftOut.add(`avatar of ${record.fullName}`);
      continue;
    }
    const hash = draft.secrets.avatarHash(realm, toUserId(user));
    for (const size of AVATAR_SIZES) await blobs.put(realm, blobNameOfAvatar(hash, 1, size), images[size], 'image/png');
    draft.realmParts[`uploads/avatar/${user}`] = { last: 1, since: 1 };
    draft.records.users[at] = { ...record, avatarSource: 'U', avatar: { realm, hash, number: 1 } };
    draft.countImportedRows('avatars');
  }
}

const REALM_PICTURE_NAMES: readonly RealmPictureName[] = ['icon', 'logo', 'night_logo'];

export async function storeImportedRealmPictures(
  folder: ExportFolder,
  blobs: BlobStorage,
  draft: ImportedOrganizationDraft,
): Promise<void> {
  const { realm } = draft.facts;
  const paths = (await folder.readFileRecords('realm_icons')).map((row) => row.text('path'));
  for (const name of REALM_PICTURE_NAMES) {
    const own = paths.filter((path) => path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '') === name);
    if (own.length === 0) continue;
    const sorted = [...own].sort((a, b) => Number(b.endsWith('.original')) - Number(a.endsWith('.original')));
    const bytes = await readFirstExistingFile(folder, 'realm_icons', sorted);
    const make = name === 'icon' ? makeRealmIconImage : makeRealmLogoImage;
    const image = bytes && (await make(bytes).catch(() => undefined));
    if (!image) {
      draft.leftOut.add(`picture of the organization: ${name}`);
      continue;
    }
    await blobs.put(realm, blobNameOfRealmPicture(name, 1), image, 'image/png');
    draft.lists.pictures = { ...draft.lists.pictures, [name]: { number: 1, version: 2 } };
    draft.realmParts[`uploads/${name}`] = { last: 1, since: 1 };
    draft.countImportedRows('pictures of the organization');
  }
}

/** Returns the file name of the emoji's picture, behind the last slash of its URL. */
export const exportedEmojiFileName = ({ url }: DirectoryEmoji): string => url.slice(url.lastIndexOf('/') + 1);

export const exportEmoji = (directory: DirectoryView): JsonObject[] =>
  [...directory.customEmoji()]
    .sort((a, b) => a.id - b.id)
    .map((emoji) => ({
      id: emoji.id,
      realm: 1,
      name: emoji.name,
      file_name: exportedEmojiFileName(emoji),
      author: emoji.author,
      is_animated: emoji.stillUrl !== null,
      deactivated: emoji.deactivated,
    }));
