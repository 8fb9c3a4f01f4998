/** Uploaded files (realm.md § Uploads and attachments). */
import { Type } from 'typebox';
import {
  blobOfFile,
  contentType,
  fileDisplayName,
  newPath,
  parsePath,
  pathOfTemporary,
  temporaryUri,
} from '#domain/files';
import { hasPublicAccess } from '#domain/streams';
import { type RawAnswer, userKey } from '#model';
import { userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type Call, forward, type Operation, operation } from '../operation.js';
import { pathId, pathRest, pathText } from '../parameters.js';
import { CONDITIONS, serveBlob } from '../raw-answers.js';

export const uploadFile = operation({
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
    const name = fileDisplayName(file.name);
    const path = newPath(realm, caller, name);
    const to = userKey(realm, caller);
    await call.send(
      forward({ to, command: userCommands.fileBegin, args: { path, name, size: file.bytes.byteLength } }),
    );
    await call.blobs.put(realm, blobOfFile(path), file.bytes, contentType(file.type));
    return forward({ to, command: userCommands.fileDone, args: { path } });
  },
});

/** @throws ApiError, as a page, if the file doesn't exist or the caller has no access */
async function checkAccess(call: Call<unknown>, path: string): Promise<void> {
  const parsed = parsePath(path);
  // Files of other organizations don't exist here; neither do files of unknown owners.
  if (!parsed || parsed.realm !== call.realm) throw apiError('FILE_NOT_FOUND');
  if (!call.directory.user(parsed.owner)) throw apiError('FILE_NOT_FOUND');
  if (call.caller !== 0) {
    await call.send(
      forward({ to: userKey(call.realm, call.caller), command: userCommands.fileAccess, args: { path } }),
    );
  } else {
    await call.send(
      forward({ to: userKey(call.realm, parsed.owner), command: userCommands.filePublic, args: { path } }),
    );
    if (!hasPublicAccess(call.webPublicStreams, call.directory)) throw apiError('FILE_FORBIDDEN');
    call.countVisit(path);
  }
}

async function serveFile(call: Call<unknown>, path: string, download: boolean): Promise<RawAnswer> {
  const { realm, token, name } = parsePath(path)!;
  const blob = await call.blobs.find(realm, blobOfFile(path));
  return serveBlob(call, blob, { name, tag: token, download, caching: 'private' });
}

const filePath = {
  realm_id_str: pathId('The organization.'),
  filename: pathRest('Rest of the address that the upload was answered with.'),
};

const file = (id: string, path: string, summary: string, download: boolean) =>
  operation({
    id,
    method: 'GET',
    path,
    root: true,
    guard: 'user',
    visitors: true,
    bareCookie: true,
    rateLimit: 'visitors',
    headers: CONDITIONS,
    summary,
    parameters: filePath,
    async run(call) {
      const at = `${call.params.realm_id_str}/${call.params.filename}`;
      await checkAccess(call, at);
      return serveFile(call, at, download);
    },
  });

export const getFile = file('get-file', '/user_uploads/{realm_id_str}/{filename}', 'An uploaded file.', false);
export const downloadFile = file(
  'download-file',
  '/user_uploads/download/{realm_id_str}/{filename}',
  'An uploaded file, for saving.',
  true,
);

export const getTemporaryUrl = operation({
  id: 'get-file-temporary-url',
  method: 'GET',
  path: '/user_uploads/{realm_id_str}/{filename}',
  guard: 'user',
  compressed: false,
  summary: 'An address of an uploaded file that needs no log-in, for one minute.',
  parameters: filePath,
  async run(call) {
    const path = `${call.params.realm_id_str}/${call.params.filename}`;
    await checkAccess(call, path);
    return { fields: { url: temporaryUri(call.secrets, path, call.now) } };
  },
});

export const getTemporaryFile = operation({
  id: 'get-temporary-file',
  method: 'GET',
  path: '/user_uploads/temporary/{token}/{filename}',
  root: true,
  guard: 'none',
  // The address is valid for one minute and needs no log-in.
  rateLimit: 'none',
  headers: CONDITIONS,
  summary: 'An uploaded file, at such an address.',
  parameters: { token: pathText('From that address.'), filename: pathText("The file's name.") },
  run: async (call) =>
    serveFile(call, pathOfTemporary(call.secrets, call.params.token, call.params.filename, call.now), false),
});

export const getAttachments = operation({
  id: 'get-attachments',
  method: 'GET',
  path: '/attachments',
  guard: 'user',
  summary: "The caller's own uploaded files.",
  parameters: {},
  run: ({ realm, caller }) => forward({ to: userKey(realm, caller), command: userCommands.attachments, args: {} }),
});

export const removeAttachment = operation({
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
    forward({
      to: userKey(realm, caller),
      command: userCommands.fileRemove,
      args: { id: params.attachment_id },
    }),
});

export const FILE_OPERATIONS = [
  getAttachments,
  removeAttachment,
  uploadFile,
  getTemporaryUrl,
  getFile,
  downloadFile,
  getTemporaryFile,
] as unknown as readonly Operation[];
