/**
 * Rules for names and descriptions of streams, topics, and the kinds of streams (streams.md § Names, messages.md § POST
 * /messages).
 */
import { hasVisibleCharacter } from '#base';
import { apiError } from '#model/errors';

export const MAX_STREAM_NAME_CHARACTERS = 60;
export const MAX_TOPIC_CHARACTERS = 60;
export const MAX_STREAM_DESCRIPTION_CHARACTERS = 1024;

/** 1-based position of the first character that names and topics may not have; 0 when there is none. */
function findForbiddenCharacterPosition(text: string): number {
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

/** Checks the name of a stream. @returns the name, trimmed. @throws ApiError */
export function toCheckedStreamName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw apiError('STREAM_NAME_EMPTY');
  if ([...trimmed].length > MAX_STREAM_NAME_CHARACTERS)
    throw apiError('STREAM_NAME_TOO_LONG', { limit: MAX_STREAM_NAME_CHARACTERS });
  const position = findForbiddenCharacterPosition(trimmed);
  if (position > 0) throw apiError('STREAM_NAME_CHARACTER', { position });
  return trimmed;
}

/**
 * Checks what only new names of streams must fulfil: streams of older data with such names are still found by them.
 * @param name checked by `toCheckedStreamName`
 * @throws ApiError
 */
export function checkNewStreamNameIsShown(name: string): void {
  if (!hasVisibleCharacter(name)) throw apiError('STREAM_NAME_EMPTY');
}

/** Checks a topic. @returns the topic, trimmed and cut to the limit. @throws ApiError */
export function toCheckedTruncatedTopic(topic: string): string {
  const trimmed = topic.trim();
  if (!hasVisibleCharacter(trimmed) && findForbiddenCharacterPosition(trimmed) === 0) throw apiError('TOPIC_EMPTY');
  const position = findForbiddenCharacterPosition(trimmed);
  if (position > 0) throw apiError('TOPIC_CHARACTER', { position });
  return truncateTopicName(trimmed);
}

/** Cuts a topic that is too long; such topics are not refused. */
export function truncateTopicName(topic: string): string {
  if (topic.length <= MAX_TOPIC_CHARACTERS) return topic;
  const chars = [...topic];
  return chars.length <= MAX_TOPIC_CHARACTERS ? topic : `${chars.slice(0, MAX_TOPIC_CHARACTERS - 3).join('')}...`;
}

/** Compares by name, in code-unit order, as lists of streams are sorted (streams.md § GET /streams). */
export const compareByName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

/** A topic in the form in which topics are compared: in lower case. */
export const toComparableTopicKey = (topic: string): string => topic.toLowerCase();

/** Privacy of a stream. Only the combinations in STREAM_PRIVACY_KINDS are valid. */
export interface StreamPrivacyFlags {
  readonly inviteOnly: boolean;
  readonly historyPublic: boolean;
  readonly webPublic: boolean;
}

export type StreamPrivacyKind = 'webPublic' | 'public' | 'privateSharedHistory' | 'privateProtectedHistory';

/** The valid combinations of privacy. */
const STREAM_PRIVACY_KINDS: readonly (readonly [StreamPrivacyKind, StreamPrivacyFlags])[] = [
  ['webPublic', { inviteOnly: false, historyPublic: true, webPublic: true }],
  ['public', { inviteOnly: false, historyPublic: true, webPublic: false }],
  ['privateSharedHistory', { inviteOnly: true, historyPublic: true, webPublic: false }],
  ['privateProtectedHistory', { inviteOnly: true, historyPublic: false, webPublic: false }],
];

/** The kind of a stream's privacy; undefined if no stream may have this privacy. */
export const streamPrivacyKindOf = (of: StreamPrivacyFlags): StreamPrivacyKind | undefined =>
  STREAM_PRIVACY_KINDS.find(
    ([, kind]) =>
      kind.inviteOnly === of.inviteOnly && kind.historyPublic === of.historyPublic && kind.webPublic === of.webPublic,
  )?.[0];

/** A stream description in its stored form: on one line. */
export const toOneLineDescription = (description: string): string => description.replaceAll('\n', ' ');
