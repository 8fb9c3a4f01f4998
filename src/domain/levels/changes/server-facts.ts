import type { ApiChange } from '../change.js';

export const TYPING_PERIODS: ApiChange = {
  since: 204,
  summary: 'The state names the periods of typing notifications.',
  addedState: {
    server_presence_ping_interval_seconds: {
      server_typing_started_expiry_period_milliseconds: 15_000,
      server_typing_stopped_wait_period_milliseconds: 5_000,
      server_typing_started_wait_period_milliseconds: 10_000,
    },
  },
};
