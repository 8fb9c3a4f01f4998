/**
 * Reports a successful log-in to the account's actor, which records the device, and sends a mail if the device is new.
 */
import { browserAndSystemNameOfUserAgent } from '#frontend/web';
import { type UserId, userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { type ApiCall, forwardCommand } from './operation.js';

/** Request headers that an operation must declare if it calls `noteLogIn`. */
export const NOTE_LOG_IN_REQUEST_HEADERS = ['user-agent'];

/** Beginning of the text that `browserAndSystemNameOfUserAgent` returns for an unknown browser. */
const UNKNOWN_BROWSER_NAME_PREFIX = 'Browser';

/**
 * Reports a log-in to the account's actor, before the log-in is answered.
 * @param kind 'mobile' if the browser gets an API key for a mobile app; the app is another device than its browser
 */
export async function reportLogInToUserActor(
  call: ApiCall<unknown>,
  user: UserId,
  kind: 'mobile' | 'own' = 'own',
): Promise<void> {
  const name = browserAndSystemNameOfUserAgent(call.header('user-agent'));
  // A program that is no browser is named by the client name that it sent.
  const device =
    name.startsWith(UNKNOWN_BROWSER_NAME_PREFIX) && call.clientName !== ''
      ? `${call.clientName}${name.slice(UNKNOWN_BROWSER_NAME_PREFIX.length)}`
      : name;
  const shown = kind === 'mobile' ? `Mobile app (${device})` : device;
  const args = { device: shown.slice(0, 100), origin: call.site };
  const to = userActorKey(call.realm, user);
  await call.send(forwardCommand({ to, command: userActorCommands.noteLogIn, args, as: user }));
}
