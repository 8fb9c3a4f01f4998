/** POST /users (users.md). The account is prepared by the needs: hashing a password takes longer than a handler may. */
import { apiError } from '../../../src/api/errors.js';

import type { DirectoryUser, RealmSettings } from '../../../src/directory/index.js';
import { checkFullName, isEmail, NO_PROFILE, presentUser, ROLE, systemGroupsOf } from '../../../src/people/index.js';
import type { LogItem } from '../../../src/runtime/index.js';
import { success } from '../../shared/replies.js';
import { asPart, USER_PART, userOf } from '../state.js';
import type { RealmCommand } from './command.js';
import { createUserCommand, type NewAccount, newUser } from './create-realm.js';
import { tellEverybody } from './personal.js';

interface NewUserArgs {
  readonly email: string;
  readonly password: string;
  readonly full_name: string;
  /** Only from the command line. */
  readonly role?: number;
  readonly [key: string]: string | number | undefined;
}

interface Prepared {
  readonly account: NewAccount;
  readonly strong: boolean;
}

export const createUser: RealmCommand<NewUserArgs, Prepared> = {
  async needs({ email, password, full_name }, { realm }, { services }) {
    const key = services.secrets.newApiKey(realm);
    const strong = services.passwords.strongEnough(password, [email, full_name]);
    return {
      strong,
      account: {
        email,
        fullName: full_name.trim(),
        passwordHash: strong ? await services.secrets.hashPassword(password) : null,
        keyHash: services.secrets.keyHash(key),
        keySealed: services.secrets.seal(key),
      },
    };
  },

  handle({ state, parts, volatile }, args, { account, strong }, { caller, now, realm, version }) {
    const system = caller === 0;
    if (!system) {
      const acting = userOf(parts, caller);
      if (!acting || acting.role > ROLE.admin) throw apiError('ADMIN_REQUIRED');
      if (!acting.canCreateUsers) throw apiError('NOT_AUTHORIZED_FOR_QUERY');
    }
    const fullName = checkFullName(args.full_name);
    if (!isEmail(args.email)) throw apiError('NAME_OR_USERNAME');
    if (volatile.userByEmail(args.email) !== undefined) throw apiError('EMAIL_IN_USE', { email: args.email });
    if (!strong) throw apiError('PASSWORD_TOO_WEAK');
    const id = state.nextUser;
    const role = (system ? args.role : undefined) ?? ROLE.member;
    const user = newUser({
      id,
      recipient: state.nextRecipient,
      account: { ...account, fullName },
      role,
      now,
      // The peer gives this right to nobody by default; here owners and administrators have it.
      canCreateUsers: role <= ROLE.admin,
    });
    volatile.addUser(id, user.email, user.deliveryEmail);
    return {
      reply: success({ user_id: id }, version),
      state: { ...state, nextUser: id + 1, nextRecipient: state.nextRecipient + 1, directoryVersion: version },
      parts: { [`${USER_PART}${id}`]: asPart(user) },
      events: userAdded(user, state.settings, now, version),
      commands: [[createUserCommand(realm, id, account, version)]],
      replyAfterCommands: true,
    };
  },
};

/** Everybody hears of a new account; the real address goes to those who may see it (users.md § User object). */
export function userAdded(user: DirectoryUser, settings: RealmSettings, now: number, version: number): LogItem[] {
  const person = presentUser(user, user, { clientGravatar: false, profile: NO_PROFILE });
  return [
    { t: 'directory', change: { user: user as never } },
    {
      t: 'event',
      to: { role: ROLE.guest, rv: version },
      event: { type: 'realm_user', op: 'add', person },
    },
    ...systemGroupsOf(user, settings, now).map((group_id) =>
      tellEverybody(version, { type: 'user_group', op: 'add_members', group_id, user_ids: [user.id] }),
    ),
  ];
}
