/** Password attempts, at log-in and at a change of the password. All failures of the account are counted here. */

import { successReply, valueReply } from '#actors/shared';
import type { JsonObject } from '#base';
import { isOwner } from '#domain/people';
import { addLoginFailure, loginTooEarlyError, msUntilLoginAllowed, wrongPasswordError } from '#domain/secrets';
import { isLoginMethodOn, PASSWORD_METHOD, userId } from '#model';
import type { PasswordCheck, userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { InputContext, Outcome } from '#runtime';
import type { InputSources } from '../../../services.js';
import type { UserCommand, UserState } from '../../state.js';
import { pushTokenPartNames } from './push-tokens.js';

interface Attempt extends JsonObject {
  readonly password: string;
}

/**
 * Exclusive lane of attempts to log in. Only one attempt runs at a time, so that each counts the failures before it.
 */
const LOGIN = { lane: 'login', exclusive: true } as const;

/** True if the password is right; null: not verified, after too many failures. */
async function isCorrect(
  { password }: Attempt,
  { view: { state } }: InputContext<UserState, undefined>,
  { services }: InputSources,
): Promise<boolean | null> {
  if (msUntilLoginAllowed(state.failedLogins ?? [], services.clock.now()) > 0) return null;
  return services.secrets.verifyPassword(password, state.passwordHash);
}

/** State of the account after an attempt to log in. A success clears the failures. */
function withAttempt(state: UserState, correct: boolean, now: number): Pick<Outcome<UserState>, 'state'> {
  const { failedLogins = [], ...rest } = state;
  if (!correct) return { state: { ...rest, failedLogins: addLoginFailure(failedLogins, now) } as UserState };
  return failedLogins.length > 0 ? { state: rest as UserState } : {};
}

/**
 * POST /fetch_api_key (users.md § API keys): checks the password and returns the API key. The frontend has found the
 * account. The key is sealed in the reply, because replies may be stored.
 */
export const fetchApiKeyHandler: UserCommand<typeof userCommands.fetchKey, boolean | null> = {
  ...LOGIN,
  inputs: isCorrect,
  handle({ state }, _args, correct, { directory, caller, now }) {
    const wait = msUntilLoginAllowed(state.failedLogins ?? [], now);
    if (correct === null || wait > 0) throw loginTooEarlyError(state.failedLogins ?? [], Math.max(wait, 1), now);
    const outcome = withAttempt(state, correct, now);
    if (!correct) {
      const failures = outcome.state?.failedLogins ?? [];
      return { ...outcome, reply: { error: wrongPasswordError(failures, now).toReply() } };
    }
    const user = directory.user(userId(caller));
    if (!user?.isActive) throw apiError('USER_DEACTIVATED');
    // After the check of the password, so that strangers can't try out which addresses are those of owners.
    const { authentication_methods } = directory.settings;
    if (!isOwner(user) && !isLoginMethodOn(authentication_methods, PASSWORD_METHOD)) {
      throw apiError('PASSWORD_AUTH_DISABLED');
    }
    const fields = { sealed: state.keySealed, email: user.deliveryEmail, user_id: user.id };
    return { ...outcome, reply: successReply(fields) };
  },
};

/** The frontend has checked who signs in: at a provider of identities, or by a signed token. */
export const fetchApiKeyTrustedHandler: UserCommand<typeof userCommands.fetchKeyTrusted> = {
  handle({ state }, _args, _inputs, { directory, caller }) {
    const user = directory.user(userId(caller));
    if (!user?.isActive) throw apiError('USER_DEACTIVATED');
    return { reply: successReply({ sealed: state.keySealed, email: user.deliveryEmail, user_id: user.id }) };
  },
};

/** Checks a password for the realm actor, which then changes the password together with the rest of a request. */
export const checkPasswordHandler: UserCommand<typeof userCommands.checkPassword, boolean | null> = {
  ...LOGIN,
  inputs: isCorrect,
  handle({ state }, _args, correct, { now }) {
    const wait = msUntilLoginAllowed(state.failedLogins ?? [], now);
    const answer = (checked: PasswordCheck) => ({ reply: valueReply(checked) });
    // A password that was not verified counts as wrong, even if the waiting time has ended since.
    if (correct === null || wait > 0) return answer({ correct: false, wait: Math.max(wait, 1) });
    return { ...withAttempt(state, correct, now), ...answer({ correct, wait: 0 }) };
  },
};

/**
 * Stores a new password hash. The realm actor has decided and sends this command, so it is never refused. Failures with
 * the old password don't count for the new one.
 */
export const setPasswordHandler: UserCommand<typeof userCommands.setPassword> = {
  handle({ state }, { passwordHash }) {
    const { failedLogins: _, ...rest } = state;
    return { reply: valueReply(null), state: { ...rest, passwordHash } as UserState };
  },
};

/**
 * Stores a new API key. The realm actor has decided and sends this command, so it is never refused. Push tokens are
 * deleted, because they were registered with the old key.
 */
export const setApiKeyHandler: UserCommand<typeof userCommands.setKey> = {
  handle: ({ state, parts }, { keySealed }) => ({
    reply: valueReply(null),
    state: { ...state, keySealed },
    parts: Object.fromEntries(pushTokenPartNames(parts).map((part) => [part, null])),
  }),
};
