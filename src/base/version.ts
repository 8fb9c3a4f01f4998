/** Version of this program. `#domain/levels` has the API levels, and the versions that responses report. */
export const SERVER_VERSION = '0.1.0';

/** Seconds since 1970 at which this process started. */
export const PROCESS_START_SECONDS = Math.floor(Date.now() / 1000);
