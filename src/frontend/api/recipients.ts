/** The forms that `to` comes in (messages.md § POST /messages, check 3). Pure. */
import { apiError } from '#model/errors';

/** How every JSON text begins. Most `to` are plain names, and a parser that throws costs more than all other checks. */
const JSON_START = /^[ \t\n\r]*(?:[[{"\-0-9]|(?:true|false|null)[ \t\n\r]*$)/;

function parsed(to: string): unknown {
  if (!JSON_START.test(to)) return to;
  try {
    return JSON.parse(to);
  } catch {
    return to;
  }
}

/** Stream name or id; undefined when not given. @throws ApiError */
export function streamTarget(to: string | undefined): string | number | undefined {
  if (to === undefined) return undefined;
  let value = parsed(to);
  if (Array.isArray(value)) {
    if (value.length !== 1) throw apiError('EXACTLY_ONE_STREAM');
    value = value[0];
  }
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw apiError('STREAM_DATA_TYPE');
}

/** Ids, or API e-mails; blanks trimmed, empties and duplicates dropped. @throws ApiError */
export function directRecipients(to: string | undefined): (string | number)[] {
  if (to === undefined) return [];
  let value = parsed(to);
  if (typeof value === 'string') value = value.split(',');
  if (!Array.isArray(value)) throw apiError('RECIPIENT_DATA_TYPE');
  const list: unknown[] = value;
  if (list.every((one) => typeof one === 'string')) {
    return [...new Set(list.map((one) => one.trim()).filter((one) => one !== ''))];
  }
  if (list.some((one) => typeof one !== 'string' && !Number.isSafeInteger(one))) throw apiError('RECIPIENT_DATA_TYPE');
  if (list.some((one) => typeof one === 'string')) throw apiError('RECIPIENTS_MIXED');
  return [...new Set(list as number[])];
}
