/** Avatars, icons and logos: decoded, scaled and encoded as PNG, so that nothing else of the file is stored. */
import { withConversionSlotAndPicture } from './decode.js';
import type { AvatarSize } from './names.js';

/** Side length of each avatar size, pixels. */
const SIDE_PIXELS_BY_AVATAR_SIZE: Readonly<Record<AvatarSize, number>> = { small: 100, medium: 500 };
const REALM_ICON_SIDE_PIXELS = 100;
/** Maximum size of a logo, pixels; it keeps its aspect ratio. */
const REALM_LOGO_MAX_PIXELS = { width: 800, height: 100 } as const;

/** PNG of an avatar in each size. */
export type AvatarPngBySize = Readonly<Record<AvatarSize, Uint8Array>>;

const squareResizeOptions = (side: number) => ({ width: side, height: side, fit: 'cover' }) as const;

/** Makes the PNG of an avatar in each size. @throws ApiError BAD_IMAGE */
export const makeAvatarPngBySize = (bytes: Uint8Array): Promise<AvatarPngBySize> =>
  withConversionSlotAndPicture(bytes, async (picture) => {
    const medium = await picture
      .still()
      .resize(squareResizeOptions(SIDE_PIXELS_BY_AVATAR_SIZE.medium))
      .png()
      .toBuffer();
    return {
      medium,
      small: await picture.still().resize(squareResizeOptions(SIDE_PIXELS_BY_AVATAR_SIZE.small)).png().toBuffer(),
    };
  });

/** Makes the PNG of an organization's icon. @throws ApiError BAD_IMAGE */
export const makeRealmIconPng = (bytes: Uint8Array): Promise<Uint8Array> =>
  withConversionSlotAndPicture(bytes, (picture) =>
    picture.still().resize(squareResizeOptions(REALM_ICON_SIDE_PIXELS)).png().toBuffer(),
  );

/** Makes the PNG of an organization's logo. @throws ApiError BAD_IMAGE */
export const makeRealmLogoPng = (bytes: Uint8Array): Promise<Uint8Array> =>
  withConversionSlotAndPicture(bytes, (picture) =>
    picture
      .still()
      .resize({ ...REALM_LOGO_MAX_PIXELS, fit: 'inside', withoutEnlargement: true })
      .png()
      .toBuffer(),
  );
