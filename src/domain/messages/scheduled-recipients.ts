/** The forms of `to` of a scheduled message: ids only (messages.md § Scheduled messages). Pure. */
import { JsonFloat, parseJsonText } from '#base';
import { apiError } from '#model/errors';

/** @throws ApiError */
export function scheduledRecipients(type: 'stream' | 'private', to: string): number[] {
  return type === 'stream' ? [streamIdIn(to)] : userIdsIn(to);
}

function streamIdIn(to: string): number {
  const id = /^\s*[+-]?\d{1,15}\s*$/.test(to) ? Number(to) : Number.NaN;
  if (Number.isNaN(id)) throw apiError('SCHEDULED_STREAM_TYPE');
  return id;
}

function userIdsIn(to: string): number[] {
  const list = parseJsonText(to)?.value;
  if (!Array.isArray(list)) throw apiError('RECIPIENT_DATA_TYPE');
  const ids = list.map((one: unknown) => {
    // The peer's booleans are integers.
    const id = typeof one === 'boolean' ? Number(one) : one;
    if (id instanceof JsonFloat || !Number.isSafeInteger(id)) throw apiError('SCHEDULED_USER_IDS');
    return id as number;
  });
  return [...new Set(ids)];
}
