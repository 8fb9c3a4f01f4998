import type { ApiChange } from '../change.js';

export const URL_OF_UPLOADS: ApiChange = {
  since: 272,
  summary: 'The answer to an upload has the path of the file as `url`, beside the older `uri`.',
  answers: { 'upload-file': (fields) => ({ ...fields, url: fields.uri! }) },
};
