import type { ApiChange } from '../change.js';
import { mapEntries } from '../json.js';

export const STATES_OF_LOGIN_METHODS: ApiChange = {
  since: 243,
  summary: 'The state describes each way to sign in: enabled, and available to the organization.',
  state: {
    // The base level lists what the server offers, so all of it is available.
    realm_authentication_methods: (methods) => mapEntries(methods, (enabled) => ({ enabled, available: true })),
  },
};
