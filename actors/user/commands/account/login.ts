/**
 * Password attempts, at log-in and at a change of the password. The user's actor counts all failures of the account.
 */

import { makeSuccessReply, makeValueReply } from '#actors/shared';
import type { JsonObject } from '#base';
import { isOwner } from '#domain/people';
import { loginRateLimitError, msUntilLoginAllowed, withLoginFailureAdded, wrongPasswordError } from '#domain/secrets';
import { isLoginMethodOn, PASSWORD_LOGIN_METHOD, toUserId } from '#model';
import type { PasswordCheckReply, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { CommandInputContext, CommandOutcome } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import type { UserActorState, UserCommandHandler } from '../../state.js';
import { listPushTokenPartNames } from './push-tokens.js';

interface PasswordAttempt extends JsonObject {
  readonly password: string;
}

/**
 * Exclusive lane of attempts to log in. Only one attempt runs at a time, so that each counts the failures before it.
 */
const EXCLUSIVE_LOGIN_LANE_OPTIONS = { lane: 'login', exclusive: true } as const;

interface PasswordVerdict {
  readonly isCorrect: boolean;
  /** Hash that the password was verified against. */
  readonly passwordHash: UserActorState['passwordHash'];
}

/** Verifies the password; null: not verified, after too many failures. */
async function verifyPasswordUnlessRateLimited(
  { password }: PasswordAttempt,
  { view: { state } }: CommandInputContext<UserActorState, undefined>,
  { services }: ActorInputSources,
): Promise<PasswordVerdict | null> {
  const { failedLogins = [], passwordHash } = state;
  if (msUntilLoginAllowed(failedLogins, services.clock.now()) > 0) return null;
  return { isCorrect: await services.secrets.verifyPassword(password, passwordHash), passwordHash };
}

/** True if the password is right, and is still the password: verifying takes long enough for it to be replaced. */
const isCorrectNow = ({ isCorrect, passwordHash }: PasswordVerdict, state: UserActorState): boolean =>
  isCorrect && passwordHash === state.passwordHash;

/** State of the account after an attempt to log in. A success clears the failures. */
function makeStateAfterLoginAttempt(
  state: UserActorState,
  correct: boolean,
  now: number,
): Pick<CommandOutcome<UserActorState>, 'state'> {
  const { failedLogins = [], ...rest } = state;
  if (!correct) return { state: { ...rest, failedLogins: withLoginFailureAdded(failedLogins, now) } as UserActorState };
  return failedLogins.length > 0 ? { state: rest as UserActorState } : {};
}

/**
 * POST /fetch_api_key (users.md § API keys): checks the password and returns the API key. The frontend has found the
 * account. The key is sealed in the reply, because replies may be stored.
 */
export const fetchApiKeyByPasswordHandler: UserCommandHandler<
  typeof userActorCommands.fetchKey,
  PasswordVerdict | null
> = {
  ...EXCLUSIVE_LOGIN_LANE_OPTIONS,
  inputs: verifyPasswordUnlessRateLimited,
  handle({ state }, _args, verdict, { directory, caller, now }) {
    const wait = msUntilLoginAllowed(state.failedLogins ?? [], now);
    if (verdict === null || wait > 0) throw loginRateLimitError(state.failedLogins ?? [], Math.max(wait, 1), now);
    const correct = isCorrectNow(verdict, state);
    const outcome = makeStateAfterLoginAttempt(state, correct, now);
    if (!correct) {
      const failures = outcome.state?.failedLogins ?? [];
      return { ...outcome, reply: { error: wrongPasswordError(failures, now).toReply() } };
    }
    const user = directory.user(toUserId(caller));
    if (!user?.isActive) throw apiError('USER_DEACTIVATED');
    // The check comes after that of the password, so that strangers can't find out which addresses are those of owners.
    const { authentication_methods } = directory.settings;
    if (!isOwner(user) && !isLoginMethodOn(authentication_methods, PASSWORD_LOGIN_METHOD)) {
      throw apiError('PASSWORD_AUTH_DISABLED');
    }
    const fields = { sealed: state.keySealed, email: user.deliveryEmail, user_id: user.id };
    return { ...outcome, reply: makeSuccessReply(fields) };
  },
};

/**
 * Replies with the encrypted API key. The frontend has checked the identity of the user: at an identity provider, or by
 * a signed token.
 */
export const fetchApiKeyWithoutPasswordHandler: UserCommandHandler<typeof userActorCommands.fetchKeyTrusted> = {
  handle({ state }, _args, _inputs, { directory, caller }) {
    const user = directory.user(toUserId(caller));
    if (!user?.isActive) throw apiError('USER_DEACTIVATED');
    return { reply: makeSuccessReply({ sealed: state.keySealed, email: user.deliveryEmail, user_id: user.id }) };
  },
};

/** Checks a password for the realm actor, which then changes the password together with the rest of a request. */
export const checkPasswordHandler: UserCommandHandler<typeof userActorCommands.checkPassword, PasswordVerdict | null> =
  {
    ...EXCLUSIVE_LOGIN_LANE_OPTIONS,
    inputs: verifyPasswordUnlessRateLimited,
    handle({ state }, _args, verdict, { now }) {
      const wait = msUntilLoginAllowed(state.failedLogins ?? [], now);
      const answer = (checked: PasswordCheckReply) => ({ reply: makeValueReply(checked) });
      // A password that was not verified counts as wrong, even if the waiting time has ended since.
      if (verdict === null || wait > 0) return answer({ correct: false, wait: Math.max(wait, 1) });
      const correct = isCorrectNow(verdict, state);
      return { ...makeStateAfterLoginAttempt(state, correct, now), ...answer({ correct, wait: 0 }) };
    },
  };

/**
 * Stores a new password hash. The realm actor has decided the change, so this command is never refused. Failed attempts
 * with the old password don't count for the new one.
 */
export const storePasswordHashHandler: UserCommandHandler<typeof userActorCommands.setPassword> = {
  handle({ state }, { passwordHash }) {
    const { failedLogins: _, ...rest } = state;
    return { reply: makeValueReply(null), state: { ...rest, passwordHash } as UserActorState };
  },
};

/**
 * Stores a new API key. The realm actor has decided and sends this command, so it is never refused. Push tokens are
 * deleted, because they were registered with the old key.
 */
export const storeApiKeyAndDropPushTokensHandler: UserCommandHandler<typeof userActorCommands.setKey> = {
  handle: ({ state, parts }, { keySealed }) => ({
    reply: makeValueReply(null),
    state: { ...state, keySealed },
    parts: Object.fromEntries(listPushTokenPartNames(parts).map((part) => [part, null])),
  }),
};
