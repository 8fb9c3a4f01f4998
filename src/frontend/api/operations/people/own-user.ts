/** What `GET /users/me` answers. */

import { ReadyFields } from '#base';
import { avatarUrl, presentUser } from '#domain/people';
import { apiError } from '#model/errors';
import type { DirectoryUser, ProfileData } from '#model/records';
import type { Call } from '../../operation.js';

interface Shown {
  readonly profile: ProfileData;
  readonly newest: number;
  readonly ready: ReadyFields;
}

/** By account as the directory holds it: a change of the account is another object. */
const shown = new WeakMap<DirectoryUser, Shown>();

export function ownUser({ caller, directory }: Pick<Call<never>, 'caller' | 'directory'>, newest: number): ReadyFields {
  const user = directory.user(caller);
  if (!user) throw apiError('ACCOUNT_DEACTIVATED');
  const profile = directory.profile(caller);
  const known = shown.get(user);
  if (known?.newest === newest && known.profile === profile) return known.ready;
  const { bot_type, bot_owner_id, ...own } = presentUser(user, user, { clientGravatar: false, profile: directory });
  const ready = new ReadyFields({ ...own, avatar_url: avatarUrl(user), max_message_id: newest });
  shown.set(user, { profile, newest, ready });
  return ready;
}
