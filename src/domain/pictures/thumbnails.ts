/**
 * Thumbnails of uploaded pictures: their sizes, their addresses and how they are made. A thumbnail's address is that of
 * the file below `/user_uploads/thumbnail/`, followed by the name of the size.
 */
import { withConversionSlotAndPicture } from './decode.js';

export interface ThumbnailFormat {
  /** Last part of the address. */
  readonly name: string;
  /** Maximum width, pixels; the picture keeps its aspect ratio and is never enlarged. */
  readonly maxWidth: number;
  /** Maximum height, pixels. */
  readonly maxHeight: number;
}

const makeFormat = (maxWidth: number, maxHeight: number): ThumbnailFormat => ({
  name: `${maxWidth}x${maxHeight}.webp`,
  maxWidth,
  maxHeight,
});

/** The first one is for previews in messages, the others are for larger screens. */
const DEFAULT_THUMBNAIL_FORMAT = makeFormat(840, 560);
export const THUMBNAIL_FORMATS: readonly ThumbnailFormat[] = [DEFAULT_THUMBNAIL_FORMAT, makeFormat(300, 200)];
export const THUMBNAIL_MEDIA_TYPE = 'image/webp';

export const findThumbnailFormat = (name: string): ThumbnailFormat | undefined =>
  THUMBNAIL_FORMATS.find((format) => format.name === name);

/**
 * Matches the preview of an uploaded picture in the HTML of a message. GIF pictures have no thumbnail, since most move;
 * neither have BMP pictures, which are not decoded.
 */
const UPLOADED_PICTURE_SOURCE_PATTERN = /<img src="\/user_uploads\/(\d+\/[^"]+\.(?:jpe?g|jpe|png|webp))">/gi;

/** Text that HTML with previews of uploaded pictures contains. */
export const UPLOADED_PICTURE_MARK = '<img src="/user_uploads/';

/** Shows thumbnails in place of the uploaded pictures themselves; links still lead to the pictures. */
export const showThumbnailsInHtml = (html: string): string =>
  html.replace(
    UPLOADED_PICTURE_SOURCE_PATTERN,
    (_, path: string) => `<img src="/user_uploads/thumbnail/${path}/${DEFAULT_THUMBNAIL_FORMAT.name}">`,
  );

/** Quality of the encoded picture, percent: a picture full of noise has 75 kB in the larger format. */
const QUALITY_PERCENT = 80;

/**
 * Makes a thumbnail.
 * @returns undefined for a moving picture, whose first frame would not stand for it, and where the thumbnail would not
 * be smaller than the file
 * @throws ApiError BAD_IMAGE
 */
export const makeThumbnail = (bytes: Uint8Array, format: ThumbnailFormat): Promise<Uint8Array | undefined> =>
  withConversionSlotAndPicture(bytes, async (picture) => {
    if (picture.frames > 1) return undefined;
    const { maxWidth: width, maxHeight: height } = format;
    const thumbnail = await picture
      .still()
      .resize({ width, height, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: QUALITY_PERCENT })
      .toBuffer();
    return thumbnail.byteLength < bytes.byteLength ? thumbnail : undefined;
  });
