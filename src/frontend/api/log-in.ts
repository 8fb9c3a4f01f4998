/** Logging in with address and password: for an API key, or for the session of a browser (users.md § API keys). */
import { isEmail, isSystemBot } from '#domain/people';
import { loginGuardForAddress } from '#domain/secrets';
import { type RealmId, type UserId, userKey } from '#model';
import { type LoginResult, loginGuardCommands, userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { type ApiCall, type ForwardedCommand, forwardCommand } from './operation.js';
import { openOrRenewKey } from './readable-key.js';

/** Log-ins need the real address; the API e-mail that stands for a hidden address is refused. */
const isAddressOf = (user: DirectoryUser, typed: string): boolean =>
  user.deliveryEmail.toLowerCase() === typed.toLowerCase();

export interface PasswordLogIn {
  /** Checks the password and counts failures. */
  readonly logIn: ForwardedCommand<LoginResult>;
  /** undefined: no account has this address; then `logIn` is refused like a wrong password. */
  readonly user: DirectoryUser | undefined;
}

/** @throws ApiError */
export async function passwordLogIn(
  call: ApiCall<{ readonly username: string; readonly password: string }>,
): Promise<PasswordLogIn> {
  const { username, password } = call.params;
  const { realm, secrets } = call;
  const typed = username.trim();
  if (!isEmail(typed)) throw apiError('ENTER_VALID_EMAIL');
  if (call.directory.deactivated) throw apiError('REALM_DEACTIVATED');
  // Refresh for known addresses too, so that the response time doesn't show whether the address is known.
  await call.refresh();
  const found = call.directory.userByEmail(typed);
  const user = found && !isSystemBot(found) && isAddressOf(found, typed) ? found : undefined;
  const { to, ...hashed } = loginGuardForAddress(secrets, realm, typed);
  const logIn = user
    ? forwardCommand({ to: userKey(realm, user.id), command: userCommands.fetchKey, args: { password }, as: user.id })
    : forwardCommand({ to, command: loginGuardCommands.fetchKey, args: { password, ...hashed } });
  return { logIn, user };
}

/** Maximum of attempts of a log-in that finds the key unreadable while other log-ins replace the key. */
const MAX_ATTEMPTS = 5;

/**
 * Logs an account in and returns the fields of POST /fetch_api_key. A key that can't be opened is replaced.
 *
 * @param logIn replies with the sealed key of `user` @throws ApiError
 */
export async function logInForKey(
  call: Pick<ApiCall<unknown>, 'secrets' | 'send' | 'realm'>,
  logIn: ForwardedCommand<LoginResult>,
  { id, keyHash }: DirectoryUser,
): Promise<{ readonly api_key: string; readonly email: string; readonly user_id: number }> {
  for (let attempts = 1; ; attempts++) {
    const { sealed, ...fields } = await call.send(logIn);
    const api_key = await openOrRenewKey(call, { user: id, sealed: String(sealed), instead: keyHash, as: id });
    if (api_key !== undefined) return { api_key, ...fields };
    // Another log-in has replaced the key; the user actor will have the new one in a moment.
    if (attempts === MAX_ATTEMPTS) throw apiError('SERVICE_UNAVAILABLE');
  }
}

/** Replies with the sealed key of an account that a trusted service has signed in. */
export const trustedLogIn = (realm: RealmId, user: UserId): ForwardedCommand<LoginResult> =>
  forwardCommand({ to: userKey(realm, user), command: userCommands.fetchKeyTrusted, args: {}, as: user });
