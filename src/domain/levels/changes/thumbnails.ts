import { showThumbnailsInHtml, THUMBNAIL_FORMATS, THUMBNAIL_MEDIA_TYPE, UPLOADED_PICTURE_MARK } from '#domain/pictures';
import type { ApiChange } from '../change.js';
import { inRenderedHtml } from '../rendered-html.js';

const server_thumbnail_formats = THUMBNAIL_FORMATS.map(({ name, maxWidth: max_width, maxHeight: max_height }) => ({
  ...{ name, max_width, max_height },
  format: THUMBNAIL_MEDIA_TYPE.slice('image/'.length),
  animated: false,
}));

export const FORMATS_OF_THUMBNAILS: ApiChange = {
  since: 273,
  summary: 'The state lists formats of thumbnails.',
  addedState: { max_file_upload_size_mib: { server_thumbnail_formats } },
};

export const THUMBNAILS_IN_MESSAGES: ApiChange = {
  since: 276,
  summary: 'Messages show thumbnails of uploaded pictures.',
  ...inRenderedHtml([UPLOADED_PICTURE_MARK], showThumbnailsInHtml),
};
