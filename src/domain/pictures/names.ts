/** Addresses of pictures that an organization shows to everybody, and where their bytes are kept. Pure. */
import type { RealmId } from '#model';
import type { RealmPictureName, UploadedAvatar } from '#model/records';

/** Largest file with a picture, MiB. */
export const PICTURE_MIB = 5;

export type AvatarSize = 'small' | 'medium';

const ENDINGS: Readonly<Record<AvatarSize, string>> = { small: '', medium: '-medium' };
export const AVATAR_SIZES = Object.keys(ENDINGS) as readonly AvatarSize[];

/** Address under the organization's base URL. @param path below its folder */
export const pictureUrl = (realm: RealmId, path: string): string => `/user_avatars/${realm}/${path}`;

/** Where a picture of a realm is kept. */
export const blobOfPicture = (path: string): string => `avatars/${path}`;

export const uploadedAvatarUrl = ({ realm, hash }: UploadedAvatar, version: number, size: AvatarSize): string =>
  `${pictureUrl(realm, `${hash}${ENDINGS[size]}.png`)}?version=${version}`;

export const realmPictureUrl = (realm: RealmId, name: RealmPictureName, version: number): string =>
  `${pictureUrl(realm, `realm/${name}.png`)}?version=${version}`;

/** Each upload has a place of its own: deleting one never hits another. */
export const blobOfAvatar = (hash: string, number: number, size: AvatarSize): string =>
  blobOfPicture(`${hash}/${number}${ENDINGS[size]}.png`);

export const blobOfRealmPicture = (name: RealmPictureName, number: number): string =>
  blobOfPicture(`realm/${name}/${number}.png`);

/** What a path below the organization's folder names. */
export type PictureRef =
  | { readonly of: 'avatar'; readonly hash: string; readonly size: AvatarSize }
  | { readonly of: 'realm'; readonly name: RealmPictureName }
  /** Never changes. */
  | { readonly of: 'emoji' };

const FORMS: readonly [RegExp, (found: RegExpExecArray) => PictureRef][] = [
  [
    /^([0-9a-f]{40})(-medium)?\.png$/,
    ([, hash, medium]) => ({ of: 'avatar', hash: hash!, size: medium ? 'medium' : 'small' }),
  ],
  [/^realm\/(icon|logo|night_logo)\.png$/, ([, name]) => ({ of: 'realm', name: name as RealmPictureName })],
  [/^emoji\/images\/(still\/)?\d{1,16}\.(png|gif)$/, () => ({ of: 'emoji' })],
];

/** undefined: no picture can have this path. */
export function parsePicture(path: string): PictureRef | undefined {
  for (const [pattern, make] of FORMS) {
    const found = pattern.exec(path);
    if (found) return make(found);
  }
  return undefined;
}
