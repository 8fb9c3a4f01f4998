/**
 * POST /users/me/muted_users/{id} begins at the caller's own actor: what is unread from that user becomes read first,
 * then the realm actor stores the mute and tells of it (events.md § Order within one action).
 */
import { apiError } from '../../../src/api/errors.js';
import { realmKey, userId } from '../../../src/core/index.js';
import type { NeedsContext, Outcome, Suppliers } from '../../../src/runtime/index.js';
import type { UserCommand } from '../command.js';
import type { UserState } from '../state.js';

interface MuteArgs {
  readonly muted_user_id: number;
  readonly [key: string]: number;
}

/** What a commit does to mark messages read: parts of the read state, and `update_message_flags`. */
export type ReadFromSender = Pick<Outcome<UserState>, 'parts' | 'events'>;

/**
 * HOOK for the read state: mark read what the caller has unread from `sender`. Called for every mute that the directory
 * lets through; must not refuse.
 */
export async function readFromSender(
  _sender: number,
  _context: NeedsContext<UserState, undefined>,
  _suppliers: Suppliers,
): Promise<ReadFromSender> {
  return {};
}

export const muteUser: UserCommand<MuteArgs, ReadFromSender> = {
  needs: ({ muted_user_id }, context, suppliers) => readFromSender(muted_user_id, context, suppliers),
  handle(_view, args, read, { directory, caller, realm }) {
    const { muted_user_id } = args;
    if (muted_user_id === caller) throw apiError('CANNOT_MUTE_SELF');
    const target = directory.user(userId(muted_user_id));
    if (!target || target.botType !== null) throw apiError('NO_SUCH_USER');
    if (directory.personal(userId(caller)).muted.some(({ id }) => id === muted_user_id)) {
      throw apiError('USER_ALREADY_MUTED');
    }
    return { ...read, reply: { forward: { to: realmKey(realm), command: 'mute-user', args } } };
  },
};
