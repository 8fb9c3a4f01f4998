/** Addresses of an organization's public pictures, and the names of their blobs. The functions have no side effects. */
import type { RealmId } from '#model';
import type { AvatarUploadRecord, RealmPictureName } from '#model/records';

/** Maximum size of an uploaded picture, MiB. */
export const MAX_UPLOADED_PICTURE_MIB = 5;

export type AvatarSize = 'small' | 'medium';

const FILE_SUFFIX_BY_AVATAR_SIZE: Readonly<Record<AvatarSize, string>> = { small: '', medium: '-medium' };
export const AVATAR_SIZES = Object.keys(FILE_SUFFIX_BY_AVATAR_SIZE) as readonly AvatarSize[];

/** Path of a picture under the organization's base URL. @param path path within the organization's folder */
export const urlPathOfPicture = (realm: RealmId, path: string): string => `/user_avatars/${realm}/${path}`;

/** Name of the blob with this picture. @param path path within the organization's folder */
export const blobNameOfPicture = (path: string): string => `avatars/${path}`;

export const uploadedAvatarUrl = ({ realm, hash }: AvatarUploadRecord, version: number, size: AvatarSize): string =>
  `${urlPathOfPicture(realm, `${hash}${FILE_SUFFIX_BY_AVATAR_SIZE[size]}.png`)}?version=${version}`;

export const realmPictureUrl = (realm: RealmId, name: RealmPictureName, version: number): string =>
  `${urlPathOfPicture(realm, `realm/${name}.png`)}?version=${version}`;

/** Name of an avatar's blob. `number` counts uploads: each has its own blob, so deleting one never hits another. */
export const blobNameOfAvatar = (hash: string, number: number, size: AvatarSize): string =>
  blobNameOfPicture(`${hash}/${number}${FILE_SUFFIX_BY_AVATAR_SIZE[size]}.png`);

export const blobNameOfRealmPicture = (name: RealmPictureName, number: number): string =>
  blobNameOfPicture(`realm/${name}/${number}.png`);

/** The picture that a path within an organization's folder of pictures names. */
export type PictureReference =
  | { readonly of: 'avatar'; readonly hash: string; readonly size: AvatarSize }
  | { readonly of: 'realm'; readonly name: RealmPictureName }
  /** A custom emoji; the bytes of this path never change. */
  | { readonly of: 'emoji' };

const PICTURE_PATH_PARSERS: readonly [RegExp, (found: RegExpExecArray) => PictureReference][] = [
  [
    /^([0-9a-f]{40})(-medium)?\.png$/,
    ([, hash, medium]) => ({ of: 'avatar', hash: hash!, size: medium ? 'medium' : 'small' }),
  ],
  [/^realm\/(icon|logo|night_logo)\.png$/, ([, name]) => ({ of: 'realm', name: name as RealmPictureName })],
  [/^emoji\/images\/(still\/)?\d{1,16}\.(png|gif)$/, () => ({ of: 'emoji' })],
];

/** Parses a path within an organization's folder of pictures. @returns undefined if no picture can have the path */
export function parsePicturePath(path: string): PictureReference | undefined {
  for (const [pattern, make] of PICTURE_PATH_PARSERS) {
    const found = pattern.exec(path);
    if (found) return make(found);
  }
  return undefined;
}
