import type { JsonObject } from '#base';
import type { ApiChange } from '../change.js';
import { mapObjects, mapText } from '../json.js';

/** Color as `#` and six hexadecimal digits in lower case; users may have written three digits, or capitals. */
export const toLongHexColor = (color: string): string => {
  const digits = color.toLowerCase();
  return /^#[0-9a-f]{3}$/.test(digits) ? digits.replace(/[0-9a-f]/g, '$&$&') : digits;
};

const withLongColor = (subscription: JsonObject): JsonObject => mapText(subscription, 'color', toLongHexColor);

export const COLORS_OF_SUBSCRIPTIONS: ApiChange = {
  since: 277,
  summary: 'Colors of subscriptions are # and six hexadecimal digits in lower case.',
  answers: {
    'get-subscriptions': (fields) => ({ ...fields, subscriptions: mapObjects(fields.subscriptions, withLongColor) }),
  },
  state: {
    subscriptions: (list) => mapObjects(list, withLongColor),
    unsubscribed: (list) => mapObjects(list, withLongColor),
  },
  events: {
    subscription(event) {
      if (event.op === 'add') return { ...event, subscriptions: mapObjects(event.subscriptions, withLongColor) };
      return event.op === 'update' && event.property === 'color' ? mapText(event, 'value', toLongHexColor) : event;
    },
  },
};
