import type { Json, JsonObject } from '#base';
import type { ApiChange } from '../change.js';
import { mapEntries } from '../json.js';

/** The base level lists what the server offers, so all of it is available. */
const withAvailability = (methods: Json | undefined): JsonObject =>
  mapEntries(methods, (enabled) => ({ enabled, available: true }));

export const STATES_OF_LOGIN_METHODS: ApiChange = {
  since: 243,
  summary: 'State and events describe each way to sign in: enabled, and available to the organization.',
  state: { realm_authentication_methods: withAvailability },
  events: {
    realm(event) {
      const data = event.data as JsonObject | undefined;
      const methods = data?.authentication_methods;
      if (!methods) return event;
      return { ...event, data: { ...data, authentication_methods: withAvailability(methods) } };
    },
  },
};
