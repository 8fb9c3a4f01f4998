export { formatOf, MOST_PIXELS, withPicture } from './decode.js';
export {
  AVATAR_SIZES,
  type AvatarSize,
  blobOfAvatar,
  blobOfPicture,
  blobOfRealmPicture,
  type NamedPicture,
  PICTURE_MIB,
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
  realmPicture,
} from './organization.js';
export { proxiedPath, signedAddress } from './proxied-address.js';
export { type AvatarImages, avatarImages, iconImage, logoImage } from './scale.js';
