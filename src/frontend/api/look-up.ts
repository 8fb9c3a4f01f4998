/**
 * Streams and users that a call names. Of what isn't known yet, another frontend may have told the client: it is looked
 * up again at the log's end before it is called unknown.
 */
import { escapeHtml } from '#base';
import { streamId, userId } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '#model/records';
import type { Call } from './operation.js';

type Named = Pick<Call<unknown>, 'directory' | 'refresh'>;

/** Once for whatever is unknown. */
export async function refreshUnless(call: Named, known: (directory: DirectoryView) => boolean): Promise<void> {
  if (!known(call.directory)) await call.refresh();
}

async function again<T>(call: Named, find: (directory: DirectoryView) => T | undefined): Promise<T | undefined> {
  const found = find(call.directory);
  if (found !== undefined) return found;
  await call.refresh();
  return find(call.directory);
}

/** By id, or by name ignoring case. */
export const lookUpStream = (call: Named, named: string | number): Promise<DirectoryStream | undefined> =>
  again(call, (directory) =>
    typeof named === 'number' ? directory.stream(streamId(named)) : directory.streamByName(named),
  );

/** A stream that can be sent to. @throws ApiError */
export async function findStream(call: Named, named: string | number): Promise<DirectoryStream> {
  const stream = await lookUpStream(call, named);
  if (stream && !stream.archived) return stream;
  if (typeof named === 'number') throw apiError('STREAM_ID_DOES_NOT_EXIST', { stream_id: named });
  throw apiError('STREAM_NAME_DOES_NOT_EXIST', { stream: escapeHtml(named) });
}

/** Users by id or by e-mail, in the order given. @throws ApiError for the first that is unknown */
export async function findUsers(call: Named, named: readonly (string | number)[]): Promise<DirectoryUser[]> {
  const find = (one: string | number): DirectoryUser | undefined =>
    typeof one === 'number' ? call.directory.user(userId(one)) : call.directory.userByEmail(one);
  await refreshUnless(call, () => named.every(find));
  return named.map((one) => {
    const user = find(one);
    if (user) return user;
    throw typeof one === 'number'
      ? apiError('INVALID_USER_ID', { user_id: one })
      : apiError('INVALID_EMAIL', { email: one });
  });
}
