/** Avatars, icons and logos: decoded, scaled and encoded as PNG, so that nothing else of the file is stored. */
import { withDecodedPicture } from './decode.js';
import type { AvatarSize } from './names.js';

/** Side length of each avatar size, pixels. */
const SIDES: Readonly<Record<AvatarSize, number>> = { small: 100, medium: 500 };
const ICON_SIDE = 100;
/** Maximum size of a logo, pixels; it keeps its aspect ratio. */
const LOGO = { width: 800, height: 100 } as const;

/** PNG of an avatar in each size. */
export type AvatarImages = Readonly<Record<AvatarSize, Uint8Array>>;

const square = (side: number) => ({ width: side, height: side, fit: 'cover' }) as const;

/** Makes the PNG of an avatar in each size. @throws ApiError BAD_IMAGE */
export const makeAvatarImages = (bytes: Uint8Array): Promise<AvatarImages> =>
  withDecodedPicture(bytes, async (picture) => {
    const medium = await picture.still().resize(square(SIDES.medium)).png().toBuffer();
    return { medium, small: await picture.still().resize(square(SIDES.small)).png().toBuffer() };
  });

/** Makes the PNG of an organization's icon. @throws ApiError BAD_IMAGE */
export const makeRealmIconImage = (bytes: Uint8Array): Promise<Uint8Array> =>
  withDecodedPicture(bytes, (picture) => picture.still().resize(square(ICON_SIDE)).png().toBuffer());

/** Makes the PNG of an organization's logo. @throws ApiError BAD_IMAGE */
export const makeRealmLogoImage = (bytes: Uint8Array): Promise<Uint8Array> =>
  withDecodedPicture(bytes, (picture) =>
    picture
      .still()
      .resize({ ...LOGO, fit: 'inside', withoutEnlargement: true })
      .png()
      .toBuffer(),
  );
