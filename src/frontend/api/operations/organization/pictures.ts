/**
 * Operations that serve avatars, emoji, icons and logos. The pictures need no log-in, because pages of any origin link
 * to them.
 */

import {
  blobNameOfAvatar,
  blobNameOfPicture,
  blobNameOfRealmPicture,
  type PictureReference,
  parsePicturePath,
} from '#domain/pictures';
import { type RawHttpAnswer, type RealmId, toRealmId } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryView } from '#model/records';
import { type ApiCall, type ApiOperation, defineOperation } from '../../operation.js';
import { declareOptionalTextParameter, declarePathIdParameter, declarePathRestParameter } from '../../parameters.js';
import { CONDITIONAL_REQUEST_HEADERS, makeStoredFileAnswer } from '../../raw-answers.js';

interface CurrentPicture {
  readonly blob: string;
  readonly version: number;
}

/**
 * Returns the current upload of a picture that users can replace, such as an avatar or logo; undefined if there is
 * none.
 */
function findCurrentPicture(picture: PictureReference, directory: DirectoryView): CurrentPicture | undefined {
  if (picture.of === 'avatar') {
    const user = directory.userByAvatarHash(picture.hash);
    if (!user?.avatar) return undefined;
    return { blob: blobNameOfAvatar(picture.hash, user.avatar.number, picture.size), version: user.avatarVersion };
  }
  const stored = picture.of === 'realm' ? directory.pictures[picture.name] : undefined;
  if (picture.of !== 'realm' || !stored || stored.number === 0) return undefined;
  return { blob: blobNameOfRealmPicture(picture.name, stored.number), version: stored.version };
}

async function serveCurrentReplaceablePicture(
  call: ApiCall<{ readonly version: string | undefined }>,
  realm: RealmId,
  picture: PictureReference,
  name: string,
): Promise<RawHttpAnswer> {
  const directory = await call.directoryOf(realm);
  if (!directory) throw apiError('FILE_NOT_FOUND');
  const asked = /^\d{1,15}$/.test(call.params.version ?? '') ? Number(call.params.version) : 0;
  let current = findCurrentPicture(picture, directory);
  let blob = current && (await call.blobs.find(realm, current.blob));
  if (!blob || asked > current!.version) {
    // The client may have this version from another frontend that has read more of the log.
    await call.refresh(realm);
    current = findCurrentPicture(picture, directory);
    blob = current && (await call.blobs.find(realm, current.blob));
  }
  if (!current) throw apiError('FILE_NOT_FOUND');
  const caching = asked === current.version ? 'public' : 'changing';
  return makeStoredFileAnswer(call, blob, { name, tag: `${realm}/${current.blob}`, download: false, caching });
}

const getPictureOperation = defineOperation({
  id: 'get-picture',
  method: 'GET',
  path: '/user_avatars/{realm_id}/{path}',
  root: true,
  guard: 'none',
  rateLimit: 'none',
  headers: CONDITIONAL_REQUEST_HEADERS,
  summary: 'A picture of an organization: an avatar, its icon or logo, a custom emoji.',
  parameters: {
    realm_id: declarePathIdParameter('The organization.'),
    path: declarePathRestParameter('The picture.'),
    version: declareOptionalTextParameter(
      'query',
      'Which of those that had this address; the newest is answered with.',
    ),
  },
  async run(call) {
    const { realm_id, path } = call.params;
    const picture = parsePicturePath(path);
    if (!picture) throw apiError('FILE_NOT_FOUND');
    const realm = toRealmId(realm_id);
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (picture.of !== 'emoji') return serveCurrentReplaceablePicture(call, realm, picture, name);
    const blob = await call.blobs.find(realm, blobNameOfPicture(path));
    return makeStoredFileAnswer(call, blob, { name, tag: `${realm}/${name}`, download: false, caching: 'public' });
  },
});

export const PICTURE_OPERATIONS = [getPictureOperation] as unknown as readonly ApiOperation[];
