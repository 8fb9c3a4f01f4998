/** Refusals around uploaded files and pictures (realm.md). */
import { bad, type CatalogueEntry } from './entry.js';

const image = <const M extends string>(msg: M) => ({ code: 'BAD_IMAGE', status: 400, msg }) as const;

export const files = {
  NO_FILE: bad('You must specify a file to upload'),
  ONE_FILE: bad('You may only upload one file at a time'),
  FILE_TOO_LARGE: bad('Uploaded file is larger than the allowed limit of {n} MiB'),
  UPLOAD_QUOTA: {
    code: 'REALM_UPLOAD_QUOTA',
    status: 400,
    msg: "Upload would exceed your organization's upload quota.",
  },
  FILE_NOT_FOUND: { status: 404, msg: '<p>File not found.</p>', html: true },
  FILE_FORBIDDEN: { status: 403, msg: '<p>You are not authorized to view this file.</p>', html: true },
  IMAGE_NOT_SIGNED: { status: 403, msg: '<p>This server shows no such picture.</p>', html: true },
  IMAGE_UNAVAILABLE: { status: 502, msg: '<p>The picture could not be loaded from its server.</p>', html: true },
  IMAGE_UNFIT: { status: 502, msg: '<p>Its server gave no picture that is shown here.</p>', html: true },
  IMAGE_TOO_SLOW: { status: 504, msg: '<p>The server of the picture took too long.</p>', html: true },
  FILE_TOKEN: bad('Invalid token'),
  FILE_NAME: bad('Invalid filename'),
  INVALID_ATTACHMENT: bad('Invalid attachment'),
  EMOJI_NAME_MISSING: bad('Emoji name is missing'),
  EMOJI_NAME_CHARACTERS: bad(
    'Emoji names must contain only lowercase English letters, digits, spaces, dashes, and underscores.',
  ),
  EMOJI_NAME_END: bad('Emoji names must end with either a letter or digit.'),
  EMOJI_EXISTS: bad('A custom emoji with this name already exists.'),
  EMOJI_ONE_FILE: bad('You must upload exactly one file.'),
  EMOJI_OVERRIDE: bad('Only administrators can override default emoji.'),
  EMOJI_NOT_AUTHOR: bad('Must be an organization administrator or emoji author'),
  AVATAR_ONE_FILE: bad('You must upload exactly one avatar.'),
  AVATAR_CHANGES_DISABLED: bad('Avatar changes are disabled in this organization.'),
  ICON_ONE_FILE: bad('You must upload exactly one icon.'),
  LOGO_ONE_FILE: bad('You must upload exactly one logo.'),
  IMAGE_UNDECODABLE: image('Could not decode image; did you upload an image file?'),
  IMAGE_TOO_LARGE: image('Image size exceeds limit.'),
  IMAGE_ANIMATION_CORRUPT: image('Corrupt animated image.'),
  IMAGE_ANIMATION_UNKNOWN: image('Unknown animated image format.'),
} as const satisfies Record<string, CatalogueEntry>;
