/**
 * Streams and users that a call names: the forms of `to`, and the look-up in the directory.
 *
 * A client may have a name or an id from another frontend, which this one's replica hasn't seen yet. So an unknown name
 * is looked up a second time, at the end of the log, before the call is refused.
 */
import { escapeHtml } from '#base';
import { toStreamId, toUserId } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '#model/records';
import type { ApiCall } from './operation.js';

type RefreshableDirectoryCall = Pick<ApiCall<unknown>, 'directory' | 'refresh'>;

/** Refreshes the replica once unless `known` finds everything that the call names. */
export async function refreshDirectoryUnlessKnown(
  call: RefreshableDirectoryCall,
  known: (directory: DirectoryView) => boolean,
): Promise<void> {
  if (!known(call.directory)) await call.refresh();
}

async function findWithOneDirectoryRefresh<T>(
  call: RefreshableDirectoryCall,
  find: (directory: DirectoryView) => T | undefined,
): Promise<T | undefined> {
  const found = find(call.directory);
  if (found !== undefined) return found;
  await call.refresh();
  return find(call.directory);
}

/** Finds a stream by id, or by name ignoring case. */
export const lookUpStreamByNameOrId = (
  call: RefreshableDirectoryCall,
  named: string | number,
): Promise<DirectoryStream | undefined> =>
  findWithOneDirectoryRefresh(call, (directory) =>
    typeof named === 'number' ? directory.stream(toStreamId(named)) : directory.streamByName(named),
  );

/** Finds a stream that is not archived, by id or name. @throws ApiError */
export async function getActiveStreamOrThrow(
  call: RefreshableDirectoryCall,
  named: string | number,
): Promise<DirectoryStream> {
  const stream = await lookUpStreamByNameOrId(call, named);
  if (stream && !stream.archived) return stream;
  if (typeof named === 'number') throw apiError('STREAM_ID_DOES_NOT_EXIST', { stream_id: named });
  throw apiError('STREAM_NAME_DOES_NOT_EXIST', { stream: escapeHtml(named) });
}

/** Users by id or by API e-mail, in the order given. @throws ApiError for the first that is unknown */
export async function getUsersByIdOrEmailOrThrow(
  call: RefreshableDirectoryCall,
  named: readonly (string | number)[],
): Promise<DirectoryUser[]> {
  const find = (one: string | number): DirectoryUser | undefined =>
    typeof one === 'number' ? call.directory.user(toUserId(one)) : call.directory.userByApiEmail(one);
  await refreshDirectoryUnlessKnown(call, () => named.every(find));
  return named.map((one) => {
    const user = find(one);
    if (user) return user;
    throw typeof one === 'number'
      ? apiError('INVALID_USER_ID', { user_id: one })
      : apiError('INVALID_EMAIL', { email: one });
  });
}

/**
 * Matches the beginning of a JSON text. Most values of `to` are plain names, and a JSON.parse that throws costs more
 * than all other checks.
 */
const LIKELY_JSON_PATTERN = /^[ \t\n\r]*(?:[[{"\-0-9]|(?:true|false|null)[ \t\n\r]*$)/;

function parseJsonOrKeepText(to: string): unknown {
  if (!LIKELY_JSON_PATTERN.test(to)) return to;
  try {
    return JSON.parse(to);
  } catch {
    return to;
  }
}

/**
 * Returns the stream name or id in the parameter `to` (messages.md § POST /messages, check 3); undefined when absent.
 * @throws ApiError
 */
export function parseStreamRecipient(to: string | undefined): string | number | undefined {
  if (to === undefined) return undefined;
  let value = parseJsonOrKeepText(to);
  if (Array.isArray(value)) {
    if (value.length !== 1) throw apiError('EXACTLY_ONE_STREAM');
    value = value[0];
  }
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw apiError('STREAM_DATA_TYPE');
}

/**
 * Returns the user ids, or API e-mails, in the parameter `to`: trimmed, without empty ones and duplicates.
 * @throws ApiError
 */
export function parseDirectRecipients(to: string | undefined): (string | number)[] {
  if (to === undefined) return [];
  let value = parseJsonOrKeepText(to);
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
