/** Operations of the API for uploaded files and their thumbnails (realm.md § Uploads and attachments). */
import { Type } from 'typebox';
import {
  blobNameOfFile,
  contentTypeOfUploadedFile,
  makeFilePath,
  makeTemporaryFileUri,
  parseFilePath,
  requireTemporaryUriFilePath,
  toFileDisplayName,
} from '#domain/files';
import { isSystemBot } from '#domain/people';
import { findThumbnailFormat } from '#domain/pictures';
import { mayReadAnyStreamAnonymously } from '#domain/streams';
import { type RawHttpAnswer, userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { StoredBlobInfo } from '#ports/blobs';
import { type ApiCall, type ApiOperation, defineOperation, forwardCommand } from '../operation.js';
import { declarePathIdParameter, declarePathRestParameter, declarePathTextParameter } from '../parameters.js';
import { CONDITIONAL_REQUEST_HEADERS, makeStoredFileAnswer, readWholeFile, servePicture } from '../raw-answers.js';

/** API level since which the answer to an upload has the name of the file. */
const FIRST_LEVEL_WITH_FILE_NAME = 285;

const uploadFileOperation = defineOperation({
  id: 'upload-file',
  method: 'POST',
  path: '/user_uploads',
  guard: 'user',
  takesFiles: true,
  summary: 'Upload a file, to be linked in messages.',
  parameters: {},
  async run(call) {
    const { files, maxFileMib, realm, caller } = call;
    const tooLarge = apiError('FILE_TOO_LARGE', { n: maxFileMib });
    if (files === 'too large') throw tooLarge;
    const [file] = files;
    if (!file) throw apiError('NO_FILE');
    if (files.length > 1) throw apiError('ONE_FILE');
    if (file.bytes.byteLength > maxFileMib * 1_048_576) throw tooLarge;
    const name = toFileDisplayName(file.name);
    const path = makeFilePath(realm, caller, name);
    const to = userActorKey(realm, caller);
    await call.send(
      forwardCommand({ to, command: userActorCommands.fileBegin, args: { path, name, size: file.bytes.byteLength } }),
    );
    await call.blobs.put(realm, blobNameOfFile(path), file.bytes, contentTypeOfUploadedFile(file.type, name));
    return forwardCommand({
      ...{ to, command: userActorCommands.fileDone, args: { path } },
      extraFields: call.apiLevel >= FIRST_LEVEL_WITH_FILE_NAME ? { filename: name } : {},
    });
  },
});

/**
 * Checks that the caller may read an uploaded file. @throws ApiError, as a page, if the file doesn't exist or the
 * caller has no access
 */
async function checkFileAccessAndCountVisit(call: ApiCall<unknown>, path: string): Promise<void> {
  const parsed = parseFilePath(path);
  // Files of other organizations and of unknown owners are answered like missing files.
  if (!parsed || parsed.realm !== call.realm) throw apiError('FILE_NOT_FOUND');
  const owner = call.directory.user(parsed.owner);
  // System bots have no files, and no actor that could answer.
  if (!owner || isSystemBot(owner)) throw apiError('FILE_NOT_FOUND');
  if (call.caller !== 0) {
    await call.send(
      forwardCommand({
        to: userActorKey(call.realm, call.caller),
        command: userActorCommands.fileAccess,
        args: { path },
      }),
    );
  } else {
    await call.send(
      forwardCommand({
        to: userActorKey(call.realm, parsed.owner),
        command: userActorCommands.filePublic,
        args: { path },
      }),
    );
    if (!mayReadAnyStreamAnonymously(call.webPublicStreams, call.directory)) throw apiError('FILE_FORBIDDEN');
    call.countVisitorFileDownload(path);
  }
}

const findUploadedFile = ({ blobs }: ApiCall<unknown>, path: string): Promise<StoredBlobInfo | undefined> =>
  blobs.find(parseFilePath(path)!.realm, blobNameOfFile(path));

async function serveUploadedFile(
  call: ApiCall<unknown>,
  path: string,
  download: boolean,
  blob?: StoredBlobInfo,
): Promise<RawHttpAnswer> {
  const { token, name } = parseFilePath(path)!;
  const served = { name, tag: token, download, caching: 'private' } as const;
  return makeStoredFileAnswer(call, blob ?? (await findUploadedFile(call, path)), served);
}

/** Declaration of an operation that serves uploaded files to accounts and visitors. */
const FILE_OPERATION = {
  method: 'GET',
  root: true,
  guard: 'user',
  visitors: true,
  bareCookie: true,
  rateLimit: 'visitors',
  headers: CONDITIONAL_REQUEST_HEADERS,
} as const;

const filePathParameters = {
  realm_id_str: declarePathIdParameter('The organization.'),
  filename: declarePathRestParameter('Rest of the address that the upload was answered with.'),
};

const defineGetFileOperation = (id: string, path: string, summary: string, download: boolean) =>
  defineOperation({
    ...FILE_OPERATION,
    ...{ id, path, summary },
    parameters: filePathParameters,
    async run(call) {
      const at = `${call.params.realm_id_str}/${call.params.filename}`;
      await checkFileAccessAndCountVisit(call, at);
      return serveUploadedFile(call, at, download);
    },
  });

const getFileOperation = defineGetFileOperation(
  'get-file',
  '/user_uploads/{realm_id_str}/{filename}',
  'An uploaded file.',
  false,
);
const downloadFileOperation = defineGetFileOperation(
  'download-file',
  '/user_uploads/download/{realm_id_str}/{filename}',
  'An uploaded file, for saving.',
  true,
);

const getThumbnailOperation = defineOperation({
  ...FILE_OPERATION,
  id: 'get-thumbnail',
  path: '/user_uploads/thumbnail/{realm_id_str}/{filename}',
  summary: 'A smaller version of an uploaded picture; the picture itself where it is small, moves or cannot be read.',
  parameters: {
    realm_id_str: declarePathIdParameter('The organization.'),
    filename: declarePathRestParameter('Rest of the address of the upload, and the name of a thumbnail format.'),
  },
  async run(call) {
    const { realm_id_str, filename } = call.params;
    const end = filename.lastIndexOf('/');
    const format = findThumbnailFormat(filename.slice(end + 1));
    if (!format) throw apiError('FILE_NOT_FOUND');
    const path = `${realm_id_str}/${filename.slice(0, end)}`;
    await checkFileAccessAndCountVisit(call, path);
    const blob = await findUploadedFile(call, path);
    if (!blob) throw apiError('FILE_NOT_FOUND');
    const file = { path, sizeBytes: blob.sizeBytes, read: () => readWholeFile(blob) };
    const thumbnail = await call.thumbnails?.getOrMake(file, format);
    return thumbnail ? servePicture(call, thumbnail, 'private, immutable') : serveUploadedFile(call, path, false, blob);
  },
});

const makeTemporaryFileUrlOperation = defineOperation({
  id: 'get-file-temporary-url',
  method: 'GET',
  path: '/user_uploads/{realm_id_str}/{filename}',
  guard: 'user',
  compressed: false,
  summary: 'An address of an uploaded file that needs no log-in, for one minute.',
  parameters: filePathParameters,
  async run(call) {
    const path = `${call.params.realm_id_str}/${call.params.filename}`;
    await checkFileAccessAndCountVisit(call, path);
    return { fields: { url: makeTemporaryFileUri(call.secrets, path, call.now) } };
  },
});

const getTemporaryFileOperation = defineOperation({
  id: 'get-temporary-file',
  method: 'GET',
  path: '/user_uploads/temporary/{token}/{filename}',
  root: true,
  guard: 'none',
  // A temporary file URL is valid for one minute and needs no log-in.
  rateLimit: 'none',
  headers: CONDITIONAL_REQUEST_HEADERS,
  summary: 'An uploaded file, at such an address.',
  parameters: {
    token: declarePathTextParameter('From that address.'),
    filename: declarePathTextParameter("The file's name."),
  },
  run: async (call) =>
    serveUploadedFile(
      call,
      requireTemporaryUriFilePath(call.secrets, call.params.token, call.params.filename, call.now),
      false,
    ),
});

const getOwnAttachmentsOperation = defineOperation({
  id: 'get-attachments',
  method: 'GET',
  path: '/attachments',
  guard: 'user',
  summary: "The caller's own uploaded files.",
  parameters: {},
  run: ({ realm, caller }) =>
    forwardCommand({ to: userActorKey(realm, caller), command: userActorCommands.attachments, args: {} }),
});

const removeOwnAttachmentOperation = defineOperation({
  id: 'remove-attachment',
  method: 'DELETE',
  path: '/attachments/{attachment_id}',
  guard: 'user',
  summary: 'Delete an own uploaded file; messages keep the dead link.',
  parameters: {
    attachment_id: {
      in: 'path',
      encoding: 'string',
      schema: Type.String(),
      required: true,
      description: 'The file, as GET /attachments numbers it.',
    },
  },
  run: ({ realm, caller, params }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.fileRemove,
      args: { id: params.attachment_id },
    }),
});

export const FILE_OPERATIONS = [
  getOwnAttachmentsOperation,
  removeOwnAttachmentOperation,
  uploadFileOperation,
  makeTemporaryFileUrlOperation,
  getFileOperation,
  downloadFileOperation,
  getThumbnailOperation,
  getTemporaryFileOperation,
] as unknown as readonly ApiOperation[];
