/** Message bodies as they are stored (messages.md § POST /messages, conventions.md § Limits). */
import { apiError } from '#model/errors';

export const MAX_MESSAGE = 10_000;
const TRUNCATED = '\n[message truncated]';

/** Right blanks and leading newlines go; too long a text is cut, not refused. @throws ApiError */
export function checkContent(content: string): string {
  const text = content.trimEnd().replace(/^\n+/, '');
  if (text === '') throw apiError('MESSAGE_EMPTY');
  if (text.includes('\0')) throw apiError('MESSAGE_NULL_BYTES');
  if (text.length <= MAX_MESSAGE) return text;
  const chars = [...text];
  if (chars.length <= MAX_MESSAGE) return text;
  return chars.slice(0, MAX_MESSAGE - TRUNCATED.length).join('') + TRUNCATED;
}
