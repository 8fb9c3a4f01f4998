/** A successful log-in: the account's actor notes its device, and sends a mail about a new one. */
import { browserName } from '#frontend/web';
import { type UserId, userKey } from '#model';
import { userCommands } from '#model/commands';
import { type ApiCall, forwardCommand } from './operation.js';

/** Headers that an operation which calls `noteLogIn` must declare. */
export const LOG_IN_HEADERS = ['user-agent'];

/** Name of an unknown browser: `browserName` begins with it. */
const UNKNOWN = 'Browser';

/** Notes a log-in before it is answered. */
export async function noteLogIn(call: ApiCall<unknown>, user: UserId): Promise<void> {
  const name = browserName(call.header('user-agent'));
  // Programs that are no browsers give their own name.
  const device = name.startsWith(UNKNOWN) && call.client !== '' ? `${call.client}${name.slice(UNKNOWN.length)}` : name;
  const args = { device: device.slice(0, 100), origin: call.site };
  const to = userKey(call.realm, user);
  await call.send(forwardCommand({ to, command: userCommands.noteLogIn, args, as: user }));
}
