/**
 * Page behind the link that unsubscribes from a kind of mail. Opening the page changes nothing, because mail scanners
 * open links. The page's button unsubscribes, and so does a mail program that posts to the URL (RFC 8058). No log-in is
 * needed.
 */
import { SETTINGS_TURNED_OFF_BY_MAIL_KIND, verifyUnsubscribeToken } from '#domain/notifications';
import { makeUnsubscribeConfirmationPage, makeUnsubscribedPage, makeUnsubscribeLinkGonePage } from '#domain/pages';
import { emailDomainOfOrigin } from '#domain/people';
import { type RealmId, realmActorKey, type UserId, type UserSettings, userActorKey } from '#model';
import { realmActorCommands, userActorCommands } from '#model/commands';
import { ActorRefusedError } from '#model/errors';
import { type ApiCall, defineOperation, forwardCommand } from '../../operation.js';
import { declarePathTextParameter } from '../../parameters.js';

const unsubscribeTokenParameter = { token: declarePathTextParameter('From the mail.') } as const;

const sharedOperationFields = {
  path: '/unsubscribe/{token}',
  root: true,
  page: true,
  guard: 'none',
  parameters: unsubscribeTokenParameter,
} as const;

export const showUnsubscribePageOperation = defineOperation({
  ...sharedOperationFields,
  id: 'show-unsubscribe',
  method: 'GET',
  summary: 'Page with the button that ends a kind of mail.',
  run({ params, secrets, pageLanguage }) {
    const link = verifyUnsubscribeToken(secrets, params.token);
    return link ? makeUnsubscribeConfirmationPage(pageLanguage, link.kind) : makeUnsubscribeLinkGonePage(pageLanguage);
  },
});

/** Ignores a refusal: a deactivated account, or one that has just left the stream, gets no such mails anyway. */
async function ignoreRefusal(command: Promise<unknown>): Promise<void> {
  try {
    await command;
  } catch (error) {
    if (!(error instanceof ActorRefusedError) || error.reply.status >= 500) throw error;
  }
}

/** Turns mails off in all subscriptions that turn them on, because those win over the settings of the user. */
async function turnOffMailsOfOwnStreams(call: ApiCall<unknown>, realm: RealmId, user: UserId): Promise<void> {
  const to = userActorKey(realm, user);
  const list = { command: userActorCommands.subscriptions, args: { include_subscribers: false } };
  const { subscriptions } = await call.send(forwardCommand({ to, ...list, as: user }));
  // One command for each stream, because a command is refused if the user has just left its stream.
  const commands = subscriptions
    .filter(({ email_notifications }) => email_notifications === true)
    .map(({ stream_id }) => {
      const args = { data: [{ stream_id: Number(stream_id), property: 'email_notifications', value: false }] };
      return call.send(forwardCommand({ to, command: userActorCommands.subscriptionSettings, args, as: user }));
    });
  await Promise.all(commands.map(ignoreRefusal));
}

export const unsubscribeFromMailKindOperation = defineOperation({
  ...sharedOperationFields,
  id: 'unsubscribe',
  method: 'POST',
  summary: 'End a kind of mail: with the button of the page, or with one click in a mail program.',
  async run(call) {
    const link = verifyUnsubscribeToken(call.secrets, call.params.token);
    if (!link) return makeUnsubscribeLinkGonePage(call.pageLanguage);
    const { realm, user, kind } = link;
    const values: Partial<UserSettings> = Object.fromEntries(
      SETTINGS_TURNED_OFF_BY_MAIL_KIND[kind].map((name) => [name, false]),
    );
    const args = { values, domain: emailDomainOfOrigin(call.site) };
    await ignoreRefusal(
      call.send(
        forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.changeSettings, args, as: user }),
      ),
    );
    if (kind === 'missed') await ignoreRefusal(turnOffMailsOfOwnStreams(call, realm, user));
    return makeUnsubscribedPage(call.pageLanguage, kind);
  },
});
