import type { ApiChange } from '../change.js';

export const UPLOAD_QUOTA_IN_MIB: ApiChange = {
  since: 251,
  summary: 'The state has the upload quota in MiB, as the name of its field says, no longer in bytes.',
  state: {
    realm_upload_quota_mib: (bytes) => (bytes === null ? null : Number(bytes) / 1_048_576),
  },
};

export const URL_OF_UPLOADS: ApiChange = {
  since: 272,
  summary: 'The answer to an upload has the path of the file as `url`, beside the older `uri`.',
  answers: { 'upload-file': (fields) => ({ ...fields, url: fields.uri! }) },
};
