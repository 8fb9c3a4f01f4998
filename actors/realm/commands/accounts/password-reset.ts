/**
 * Forgotten passwords: a link is mailed, and its holder sets a new password. The same on behalf of an
 * administrator, and from the command line without a link.
 *
 * A stranger must not learn which addresses have an account: requests for unknown addresses are counted, committed and
 * answered like the others; only the mail is missing.
 */

import { mailCommand, successReply } from '#actors/shared';
import type { Json } from '#base';
import { sealMailLink } from '#domain/mail';
import { isAdmin, isEmail, isOwner, isSystemBot } from '#domain/people';
import { sealLinkToken } from '#domain/secrets';
import { isLoginMethodOn, PASSWORD_METHOD, type RealmId, userId, userKey } from '#model';
import { type OutboxCommand, outboxCommand, type realmCommands, userCommands } from '#model/commands';
import { apiError, PRODUCT_NAME } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext, InputContext, Outcome } from '#runtime';
import type { InputSources } from '../../../services.js';
import { countMailToAddress } from '../../mail-limits.js';
import { type ActorParts, type RealmState, userRecord } from '../../state.js';
import type { RealmVolatile } from '../../volatile.js';
import { requireActingUser } from '../callers.js';
import type { RealmCommand, RealmView } from '../command.js';
import { toSingleLine } from '../invitations/invitation-links.js';
import { makeApiKey, type NewApiKey, replaceApiKey } from './api-keys.js';
import { resetLinksOf, withResetLink } from './mailed-links.js';
import { endAllSessions } from './sessions.js';

/** Validity of a link that sets a new password, ms. */
const VALID_MS = 3_600_000;

/** True if the account may sign in with a password. Owners always may: an organization can't lock itself out. */
export const mayUsePassword = (user: DirectoryUser, { settings }: RealmState): boolean =>
  isOwner(user) || isLoginMethodOn(settings.authentication_methods, PASSWORD_METHOD);

/** The active account of a person with this real address, if it may have a password. */
function accountOf(email: string, { state, parts, volatile }: RealmView): DirectoryUser | undefined {
  const user = userRecord(parts, volatile.userByEmail(email) ?? 0);
  if (!user?.isActive || user.botType !== null || isSystemBot(user) || !mayUsePassword(user, state)) return undefined;
  return user.deliveryEmail.toLowerCase() === email.toLowerCase() ? user : undefined;
}

interface LinkInputs {
  readonly user: number;
  readonly hash: string;
  readonly expires: number;
  /** The link, sealed until the mail leaves. */
  readonly link: string;
}

function makeLink(
  realm: RealmId,
  user: number,
  origin: string,
  { services: { clock, secrets } }: InputSources,
): LinkInputs {
  const expires = clock.now() + VALID_MS;
  const token = sealLinkToken(secrets, 'reset-password', { realm, user: userId(user), expires });
  const link = sealMailLink(secrets, `${origin}/accounts/password/reset/${token}`);
  return { user, hash: secrets.keyHash(token), expires, link };
}

function linkMail(user: DirectoryUser, link: string, by: string, { state }: RealmView, realm: RealmId): OutboxCommand {
  const organization = toSingleLine(state.settings.name);
  return mailCommand(realm, {
    to: user.deliveryEmail,
    subject: `A new password for ${organization}`,
    text: [
      `Hello ${user.fullName},`,
      `${by} for a new password of your account at ${organization} (${PRODUCT_NAME}). To set one, open this link within an hour:`,
      link,
      'If you do not want a new password, there is nothing that you need to do: the present one stays.',
      '',
    ].join('\n\n'),
  });
}

export const requestPasswordResetHandler: RealmCommand<typeof realmCommands.askPasswordReset, LinkInputs> = {
  lane: 'invitations',
  // The same work for an unknown address.
  inputs: ({ email, origin }, { realm, view }, sources) =>
    makeLink(realm, accountOf(email, view)?.id ?? 0, origin, sources),
  handle(view, { email }, { user: id, hash, expires, link }, { realm, now }) {
    const { parts } = view;
    if (!isEmail(email)) throw apiError('ENTER_VALID_EMAIL');
    const { wait, parts: counted } = countMailToAddress(parts, email, now);
    if (wait > 0) throw apiError('RATE_LIMIT_HIT', { 'retry-after': wait / 1000 });
    const user = accountOf(email, view);
    const reply = successReply();
    if (user?.id !== id) return { reply, parts: counted };
    return {
      reply,
      parts: { ...counted, ...withResetLink(parts, id, { hash, expires }, now) },
      commands: [[linkMail(user, link, 'somebody, probably you, asks', view, realm)]],
    };
  },
};

export const sendPasswordResetHandler: RealmCommand<typeof realmCommands.sendPasswordReset, LinkInputs> = {
  lane: 'invitations',
  inputs: ({ user_id, origin }, { realm }, sources) => makeLink(realm, user_id, origin, sources),
  handle(view, { user_id }, { hash, expires, link }, { realm, now, caller }) {
    const { parts, state } = view;
    const acting = requireActingUser(parts, caller);
    if (!isAdmin(acting)) throw apiError('ADMIN_REQUIRED');
    const user = userRecord(parts, user_id);
    if (!user || isSystemBot(user)) throw apiError('NO_SUCH_USER');
    if (!user.isActive) throw apiError('USER_IS_DEACTIVATED');
    if (user.botType !== null) throw apiError('NO_BOTS');
    if (!mayUsePassword(user, state)) throw apiError('PASSWORD_AUTH_DISABLED');
    const { wait, parts: counted } = countMailToAddress(parts, user.deliveryEmail, now);
    if (wait > 0) throw apiError('RATE_LIMIT_HIT', { 'retry-after': wait / 1000 });
    return {
      reply: successReply(),
      parts: { ...counted, ...withResetLink(parts, user_id, { hash, expires }, now) },
      commands: [[linkMail(user, link, `${acting.fullName} asks you`, view, realm)]],
    };
  },
};

/** The account of a link that was not used, voided or outlived. @throws ApiError */
function accountOfLink({ parts, state }: RealmView, user: number, hash: string, now: number): DirectoryUser {
  const account = userRecord(parts, user);
  const open = resetLinksOf(parts, user, now).some((link) => link.hash === hash);
  if (!open || !account?.isActive || !mayUsePassword(account, state)) throw apiError('MAIL_LINK');
  return account;
}

export const readPasswordResetHandler: RealmCommand<typeof realmCommands.peekPasswordReset> = {
  lane: 'read',
  read: true,
  handle(view, { user, hash }, _inputs, { now }) {
    const { deliveryEmail } = accountOfLink(view, user, hash, now);
    return { reply: successReply({ organization: view.state.settings.name, email: deliveryEmail }) };
  },
};

interface PasswordInputs {
  /** null: the password is too weak, or the link does not hold. */
  readonly passwordHash: string | null;
  readonly key: NewApiKey;
}

async function hashNewPassword(
  account: DirectoryUser | undefined,
  password: string,
  { realm }: InputContext<RealmState, RealmVolatile>,
  sources: InputSources,
): Promise<PasswordInputs> {
  const { passwords, secrets } = sources.services;
  const related = account ? [account.deliveryEmail, account.fullName] : [];
  // Without a link no password is hashed: hashing is expensive.
  const good = account !== undefined && (await passwords.strongEnough(password, related));
  return { passwordHash: good ? await secrets.hashPassword(password) : null, key: makeApiKey(realm, sources) };
}

/** Sets a password, ends all sessions, voids all links, and tells the owner of the account. */
function setPassword(
  user: DirectoryUser,
  passwordHash: string,
  { state, parts }: { readonly state: RealmState; readonly parts: ActorParts },
  context: CommandContext,
): Required<Pick<Outcome<RealmState>, 'events' | 'commands'>> & { readonly parts: Readonly<Record<string, Json>> } {
  const { realm } = context;
  const name = userCommands.setPassword;
  const organization = toSingleLine(state.settings.name);
  const notice = mailCommand(realm, {
    to: user.deliveryEmail,
    subject: `Your password for ${organization} was changed`,
    text: [
      `Hello ${user.fullName},`,
      `the password of your account at ${organization} (${PRODUCT_NAME}) was changed, and all browsers were signed out. If that was not you, tell an administrator of the organization at once.`,
      '',
    ].join('\n\n'),
  });
  return {
    ...endAllSessions(parts, user.id, null, context),
    commands: [[outboxCommand({ to: userKey(realm, user.id), name, args: { passwordHash }, caller: 0 })], [notice]],
  };
}

/** A link is used once: its commit voids all links, and one command at a time looks for it. */
export const resetPasswordHandler: RealmCommand<typeof realmCommands.resetPassword, PasswordInputs> = {
  lane: 'password resets',
  exclusive: true,
  inputs({ user, hash, password }, context, sources) {
    const open = resetLinksOf(context.view.parts, user, sources.services.clock.now()).some((one) => one.hash === hash);
    return hashNewPassword(open ? userRecord(context.view.parts, user) : undefined, password, context, sources);
  },
  handle(view, { user: id, hash, newKey, shown }, { passwordHash, key }, context) {
    const { realm, now, version } = context;
    const user = accountOfLink(view, id, hash, now);
    if (passwordHash === null) throw apiError('PASSWORD_TOO_WEAK');
    const done = setPassword(user, passwordHash, view, context);
    const replaced = newKey ? replaceApiKey(view.parts, user, key, realm) : undefined;
    const fields = { organization: view.state.settings.name, email: user.deliveryEmail };
    return {
      reply: successReply(fields, shown ? version : undefined),
      parts: { ...done.parts, ...replaced?.parts },
      events: [...done.events, ...(replaced?.events ?? [])],
      commands: [...done.commands, ...(replaced?.commands ?? [])],
      replyAfterCommands: true,
    };
  },
};

export const setPasswordOfHandler: RealmCommand<typeof realmCommands.setPasswordOf, PasswordInputs> = {
  lane: 'password resets',
  exclusive: true,
  inputs: ({ user_id, password }, context, sources) =>
    hashNewPassword(userRecord(context.view.parts, user_id), password, context, sources),
  handle(view, { user_id }, { passwordHash }, context) {
    const user = userRecord(view.parts, user_id);
    if (!user || isSystemBot(user)) throw apiError('NO_SUCH_USER');
    if (user.botType !== null) throw apiError('NO_BOTS');
    if (passwordHash === null) throw apiError('PASSWORD_TOO_WEAK');
    return {
      ...setPassword(user, passwordHash, view, context),
      reply: successReply(undefined, context.version),
      replyAfterCommands: true,
    };
  },
};
