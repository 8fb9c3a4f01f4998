/** Devices from which the user has logged in, and the mail about a new one. */
import { mailCommand, successReply } from '#actors/shared';
import { sealMailLink } from '#domain/mail';
import { composeLoginMail, makeUnsubscribeLink } from '#domain/notifications';
import { readPreference } from '#domain/people';
import type { userCommands } from '#model/commands';
import { mailReceiverOf } from '../../mail-receiver.js';
import { type UserCommand, userIdOfKey } from '../../state.js';

/** Maximum number of remembered devices; the one that was used first is forgotten. */
const MAX_DEVICES = 20;
/** Time after sign-up in which no mail is sent: a new account logs in from its first device, ms. */
const AFTER_SIGN_UP_MS = 60_000;

/** Notes a successful log-in before it is answered, so that no key and no session is given without the mail. */
export const noteLogInHandler: UserCommand<typeof userCommands.noteLogIn, string> = {
  inputs: ({ origin }, { realm, key }, { services }) => {
    const of = { realm, user: userIdOfKey(key), kind: 'login', stream: 0 } as const;
    return sealMailLink(services.secrets, makeUnsubscribeLink(services.secrets, origin, of));
  },
  handle({ state }, { device, origin }, unsubscribe, { directory, realm, key, now }) {
    const { devices = [] } = state;
    if (devices.includes(device)) return { reply: successReply() };
    const self = userIdOfKey(key);
    const user = directory.user(self);
    const isWanted =
      user !== undefined &&
      user.botType === null &&
      now - user.joined > AFTER_SIGN_UP_MS &&
      readPreference(directory, self, 'enable_login_emails');
    const organization = directory.settings.name;
    const mails = isWanted
      ? [
          mailCommand(realm, {
            to: user.deliveryEmail,
            ...composeLoginMail({
              device,
              time: now,
              organization,
              origin,
              receiver: mailReceiverOf(user, directory),
              email: user.deliveryEmail,
              unsubscribe,
            }),
            unsubscribe,
          }),
        ]
      : [];
    return {
      reply: successReply(),
      state: { ...state, devices: [...devices, device].slice(-MAX_DEVICES) },
      commands: [mails],
    };
  },
};
