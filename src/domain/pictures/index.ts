/**
 * Pictures that an organization shows to everybody: avatars, icon, logos and custom emoji; thumbnails of pictures in
 * messages; and signed addresses of the image proxy.
 *
 * An uploaded picture takes this way: `decode.ts` checks its format and opens it within limits, `scale.ts` makes PNG
 * files of fixed sizes, `names.ts` names their blobs. A request for a picture goes the other way: `names.ts` parses its
 * path. `organization.ts` has the addresses and API fields of icon and logos, with their defaults. `thumbnails.ts`
 * makes smaller versions of uploaded files. `proxied-image-url.ts` makes and checks the addresses under which the image
 * proxy fetches pictures of other hosts.
 *
 * Invariants: the bytes of an avatar, icon, logo or emoji are never stored or served; only newly encoded pictures are.
 * Every upload gets a new blob. The image proxy fetches only addresses whose digest was made with this server's key.
 *
 * Actors, frontend and the domain folders emoji, levels, markdown and people may import this folder.
 */
export { detectPictureFormat, MAX_PIXELS_PER_PICTURE_FRAME, withConversionSlotAndPicture } from './decode.js';
export {
  AVATAR_SIZES,
  type AvatarSize,
  blobNameOfAvatar,
  blobNameOfPicture,
  blobNameOfRealmPicture,
  MAX_UPLOADED_PICTURE_MIB,
  type PictureReference,
  parsePicturePath,
  realmPictureUrl,
  uploadedAvatarUrl,
  urlPathOfPicture,
} from './names.js';
export {
  formatAllRealmPictureFieldsForApi,
  formatRealmPictureFieldsForApi,
  realmPictureOrDefaultUrl,
} from './organization.js';
export { makeImageProxyPath, openProxiedImageAddress } from './proxied-image-url.js';
export { type AvatarPngBySize, makeAvatarPngBySize, makeRealmIconPng, makeRealmLogoPng } from './scale.js';
export {
  findThumbnailFormat,
  makeThumbnail,
  showThumbnailsInHtml,
  THUMBNAIL_FORMATS,
  THUMBNAIL_MEDIA_TYPE,
  type ThumbnailFormat,
  UPLOADED_PICTURE_MARK,
} from './thumbnails.js';
