/** Whether the caller may change a stream (streams.md § PATCH /streams/{stream_id}). */

import { isAdmin } from '#domain/people';
import type { Membership } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import { type Parts, streamOf, userOf } from '../../state.js';

export interface Administered {
  readonly acting: DirectoryUser;
  readonly stream: DirectoryStream;
  readonly subscribed: boolean;
}

/** Administrators may change every stream, private and archived ones too. @throws ApiError */
export function administered(
  parts: Parts,
  caller: number,
  id: number,
  membership: Membership | undefined,
): Administered {
  const acting = userOf(parts, caller);
  const stream = streamOf(parts, id);
  if (!acting || !stream) throw apiError('INVALID_STREAM_ID');
  const subscribed = membership?.members.includes(caller) ?? false;
  if (!isAdmin(acting)) throw apiError(stream.inviteOnly && !subscribed ? 'INVALID_STREAM_ID' : 'ADMIN_REQUIRED');
  return { acting, stream, subscribed };
}
