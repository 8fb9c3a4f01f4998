export { formatOf, MAX_PIXELS, withPicture } from './decode.js';
export {
  AVATAR_SIZES,
  type AvatarSize,
  blobOfAvatar,
  blobOfPicture,
  blobOfRealmPicture,
  PICTURE_MIB,
  type PictureRef,
  parsePicture,
  pictureUrl,
  realmPictureUrl,
  uploadedAvatarUrl,
} from './names.js';
export {
  DEFAULT_LOGO,
  type OrganizationPictures,
  presentRealmPicture,
  presentRealmPictures,
  REALM_PICTURES,
  realmPictureOrDefault,
} from './organization.js';
export { imageProxyPath, verifiedAddress } from './proxied-address.js';
export { type AvatarImages, avatarImages, iconImage, logoImage } from './scale.js';
