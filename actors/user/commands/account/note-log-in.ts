/** Devices from which the user has logged in, and the mail about a new one. */
import { makeSendMailCommand, makeSuccessReply } from '#actors/shared';
import { sealMailLink } from '#domain/mail';
import { composeNewDeviceLoginMail, makeUnsubscribeLink } from '#domain/notifications';
import { readUserSettingByUserId } from '#domain/people';
import type { userActorCommands } from '#model/commands';
import { makeMailReceiver } from '../../mail-receiver.js';
import { type UserCommandHandler, userIdOfUserActorKey } from '../../state.js';

/** Maximum number of remembered devices; the oldest one is dropped first. */
const MAX_REMEMBERED_LOGIN_DEVICES = 20;
/** Milliseconds after sign-up in which no mail is sent, because a new account logs in from its first device. */
const NO_LOGIN_MAIL_AFTER_SIGN_UP_MS = 60_000;

/** Records a successful log-in before it is answered, so that no key and no session is given without the mail. */
export const recordLoginDeviceHandler: UserCommandHandler<typeof userActorCommands.noteLogIn, string> = {
  inputs: ({ origin }, { realm, key }, { services }) => {
    const of = { realm, user: userIdOfUserActorKey(key), kind: 'login' } as const;
    return sealMailLink(services.secrets, makeUnsubscribeLink(services.secrets, origin, of));
  },
  handle({ state }, { device, origin }, unsubscribe, { directory, realm, key, now }) {
    const { devices = [] } = state;
    if (devices.includes(device)) return { reply: makeSuccessReply() };
    const self = userIdOfUserActorKey(key);
    const user = directory.user(self);
    const isWanted =
      user !== undefined &&
      user.botType === null &&
      now - user.joined > NO_LOGIN_MAIL_AFTER_SIGN_UP_MS &&
      readUserSettingByUserId(directory, self, 'enable_login_emails');
    const organization = directory.settings.name;
    const mails = isWanted
      ? [
          makeSendMailCommand(realm, {
            to: user.deliveryEmail,
            ...composeNewDeviceLoginMail({
              device,
              time: now,
              organization,
              origin,
              receiver: makeMailReceiver(user, directory),
              email: user.deliveryEmail,
              unsubscribe,
            }),
            unsubscribe,
          }),
        ]
      : [];
    return {
      reply: makeSuccessReply(),
      state: { ...state, devices: [...devices, device].slice(-MAX_REMEMBERED_LOGIN_DEVICES) },
      commands: [mails],
    };
  },
};
