/** Versions that the API reports (api/README.md § Names). */
const API_FEATURE_LEVEL = 184;
export const SERVER_VERSION = '0.1.0';

/** Version fields of responses, under both names: existing clients read the `zulip_` names. */
export const SERVER_VERSION_FIELDS = {
  service_version: `7.0+conclave.${SERVER_VERSION}`,
  zulip_version: `7.0+conclave.${SERVER_VERSION}`,
  service_feature_level: API_FEATURE_LEVEL,
  zulip_feature_level: API_FEATURE_LEVEL,
  service_merge_base: '',
  zulip_merge_base: '',
} as const;

/** Seconds since 1970 at which this process started. */
export const PROCESS_START_SECONDS = Math.floor(Date.now() / 1000);
