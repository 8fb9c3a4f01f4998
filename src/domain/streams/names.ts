/** Rules for stream names and topics (streams.md § Names, messages.md § POST /messages). */
import { apiError } from '#model/errors';

export const MAX_STREAM_NAME = 60;
export const MAX_TOPIC = 60;
export const MAX_DESCRIPTION = 1024;

/** 1-based position of the first character that names and topics may not have; 0 when there is none. */
function badCharacter(text: string): number {
  let position = 0;
  for (const char of text) {
    position++;
    const code = char.codePointAt(0)!;
    const control = code < 0x20 || (code >= 0x7f && code <= 0x9f);
    const surrogate = code >= 0xd800 && code <= 0xdfff;
    const noncharacter = (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) === 0xfffe;
    if (control || surrogate || noncharacter) return position;
  }
  return 0;
}

/** @returns the stream name, trimmed. @throws ApiError */
export function checkStreamName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw apiError('STREAM_NAME_EMPTY');
  if ([...trimmed].length > MAX_STREAM_NAME) throw apiError('STREAM_NAME_TOO_LONG', { limit: MAX_STREAM_NAME });
  const position = badCharacter(trimmed);
  if (position > 0) throw apiError('STREAM_NAME_CHARACTER', { position });
  return trimmed;
}

/** @returns the topic, trimmed and cut to the limit. @throws ApiError */
export function checkTopic(topic: string): string {
  const trimmed = topic.trim();
  if (trimmed === '') throw apiError('TOPIC_EMPTY');
  const position = badCharacter(trimmed);
  if (position > 0) throw apiError('TOPIC_CHARACTER', { position });
  return cutTopic(trimmed);
}

/** Longer topics are cut, not refused. */
export function cutTopic(topic: string): string {
  if (topic.length <= MAX_TOPIC) return topic;
  const chars = [...topic];
  return chars.length <= MAX_TOPIC ? topic : `${chars.slice(0, MAX_TOPIC - 3).join('')}...`;
}

/** Compares by name, in code-unit order, as lists of streams are sorted (streams.md § GET /streams). */
export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

/** The form in which topics are compared: case is ignored. */
export const topicKey = (topic: string): string => topic.toLowerCase();
