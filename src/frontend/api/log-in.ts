/** Logging in with address and password: for an API key, or for the session of a browser (users.md § API keys). */
import { hasEmailAddressForm, isSystemBot } from '#domain/people';
import { loginGuardKeyAndAddressHash } from '#domain/secrets';
import { type RealmId, type UserId, userActorKey } from '#model';
import { type LoginResult, unknownEmailLoginActorCommands, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { type ApiCall, type ForwardedCommand, forwardCommand } from './operation.js';
import { unsealOrRenewApiKey } from './readable-key.js';

/** Log-ins need the real address; the API e-mail that stands for a hidden address is refused. */
const isRealAddressOfUser = (user: DirectoryUser, typed: string): boolean =>
  user.deliveryEmail.toLowerCase() === typed.toLowerCase();

export interface PasswordLoginRequest {
  /** Command for the account's actor: it checks the password and counts failed attempts. */
  readonly logIn: ForwardedCommand<LoginResult>;
  /**
   * Account that has the address; undefined if there is none. The command `logIn` is then refused like a wrong
   * password.
   */
  readonly user: DirectoryUser | undefined;
}

/**
 * Finds the account that logs in with address and password, and makes the command that checks the password.
 * @throws ApiError
 */
export async function makePasswordLoginRequest(
  call: ApiCall<{ readonly username: string; readonly password: string }>,
): Promise<PasswordLoginRequest> {
  const { username, password } = call.params;
  const { realm, secrets } = call;
  const typed = username.trim();
  if (!hasEmailAddressForm(typed)) throw apiError('ENTER_VALID_EMAIL');
  if (call.directory.deactivated) throw apiError('REALM_DEACTIVATED');
  // Refresh for known addresses too, so that the response time doesn't show whether the address is known.
  await call.refresh();
  const found = call.directory.userByEmail(typed);
  const user = found && !isSystemBot(found) && isRealAddressOfUser(found, typed) ? found : undefined;
  const { to, ...hashed } = loginGuardKeyAndAddressHash(secrets, realm, typed);
  const logIn = user
    ? forwardCommand({
        to: userActorKey(realm, user.id),
        command: userActorCommands.fetchKey,
        args: { password },
        as: user.id,
      })
    : forwardCommand({ to, command: unknownEmailLoginActorCommands.fetchKey, args: { password, ...hashed } });
  return { logIn, user };
}

/** Maximum of attempts of a log-in that can't decrypt the API key while other log-ins replace the key. */
const MAX_KEY_FETCH_ATTEMPTS = 5;

/**
 * Logs an account in and returns the fields of POST /fetch_api_key. An API key that can't be decrypted is replaced.
 *
 * @param logIn command whose reply has the encrypted key of `user`
 * @throws ApiError
 */
export async function logInAndFetchApiKeyFields(
  call: Pick<ApiCall<unknown>, 'secrets' | 'send' | 'realm'>,
  logIn: ForwardedCommand<LoginResult>,
  { id, keyHash }: DirectoryUser,
): Promise<{ readonly api_key: string; readonly email: string; readonly user_id: number }> {
  for (let attempts = 1; ; attempts++) {
    const { sealed, ...fields } = await call.send(logIn);
    const api_key = await unsealOrRenewApiKey(call, { user: id, sealed: String(sealed), instead: keyHash, as: id });
    if (api_key !== undefined) return { api_key, ...fields };
    // Another log-in has replaced the API key; the user actor will have the new key in a moment.
    if (attempts === MAX_KEY_FETCH_ATTEMPTS) throw apiError('SERVICE_UNAVAILABLE');
  }
}

/** Makes the command whose reply has the encrypted API key of an account that a trusted service has signed in. */
export const makeTrustedLogInCommand = (realm: RealmId, user: UserId): ForwardedCommand<LoginResult> =>
  forwardCommand({ to: userActorKey(realm, user), command: userActorCommands.fetchKeyTrusted, args: {}, as: user });
