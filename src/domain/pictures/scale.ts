/** Avatars, icons and logos: decoded, scaled and encoded as PNG, so that nothing else of the file is stored. */
import { withDecodedPicture } from './decode.js';
import type { AvatarSize } from './names.js';

/** Side length of each avatar size, pixels. */
const AVATAR_SIDE_PIXELS: Readonly<Record<AvatarSize, number>> = { small: 100, medium: 500 };
const ICON_SIDE_PIXELS = 100;
/** Maximum size of a logo, pixels; it keeps its aspect ratio. */
const LOGO_BOUNDS_PIXELS = { width: 800, height: 100 } as const;

/** PNG of an avatar in each size. */
export type AvatarImages = Readonly<Record<AvatarSize, Uint8Array>>;

const squareResizeOptions = (side: number) => ({ width: side, height: side, fit: 'cover' }) as const;

/** Makes the PNG of an avatar in each size. @throws ApiError BAD_IMAGE */
export const makeAvatarImages = (bytes: Uint8Array): Promise<AvatarImages> =>
  withDecodedPicture(bytes, async (picture) => {
    const medium = await picture.still().resize(squareResizeOptions(AVATAR_SIDE_PIXELS.medium)).png().toBuffer();
    return {
      medium,
      small: await picture.still().resize(squareResizeOptions(AVATAR_SIDE_PIXELS.small)).png().toBuffer(),
    };
  });

/** Makes the PNG of an organization's icon. @throws ApiError BAD_IMAGE */
export const makeRealmIconImage = (bytes: Uint8Array): Promise<Uint8Array> =>
  withDecodedPicture(bytes, (picture) =>
    picture.still().resize(squareResizeOptions(ICON_SIDE_PIXELS)).png().toBuffer(),
  );

/** Makes the PNG of an organization's logo. @throws ApiError BAD_IMAGE */
export const makeRealmLogoImage = (bytes: Uint8Array): Promise<Uint8Array> =>
  withDecodedPicture(bytes, (picture) =>
    picture
      .still()
      .resize({ ...LOGO_BOUNDS_PIXELS, fit: 'inside', withoutEnlargement: true })
      .png()
      .toBuffer(),
  );
