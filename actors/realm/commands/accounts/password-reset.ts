/**
 * Forgotten passwords: a link is mailed, and its holder sets a new password. An administrator may have the link mailed,
 * too, and the command line sets a password without a link.
 *
 * A stranger must not learn which addresses have an account: requests for unknown addresses are counted, committed and
 * answered like the others; only the mail is missing.
 */

import { makeSuccessReply } from '#actors/shared';
import type { Json } from '#base';
import { sealMailLink } from '#domain/mail';
import { hasEmailAddressForm, isAdminOrOwner, isSystemBot, USER_ROLE } from '#domain/people';
import { sealMailLinkToken } from '#domain/secrets';
import { isLoginMethodOn, PASSWORD_LOGIN_METHOD, type RealmId, toUserId } from '#model';
import type { OutboxCommand, realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext, CommandInputContext, CommandOutcome } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import { countMailToAddressIfAllowed } from '../../mail-limits.js';
import { findUserRecord, type RealmActorState } from '../../state.js';
import type { RealmMemoryState } from '../../volatile.js';
import { getActingUserOrThrow } from '../callers.js';
import type { RealmActorView, RealmCommandHandler } from '../command.js';
import { makeMailToAccount } from '../mails.js';
import { makeApiKeyReplacement, makeNewApiKey, type NewApiKey } from './api-keys.js';
import { listValidPasswordResetLinks, makePasswordResetLinkAddition } from './mailed-links.js';
import { makePasswordChangeCommands } from './password-change.js';
import { makeSessionsAndLinksEndCommit } from './sessions.js';

/** Validity of a reset link, ms. */
const PASSWORD_RESET_LINK_VALIDITY_MS = 3_600_000;

/**
 * True if the account may sign in with a password. Owners always may, so that an organization can't lock itself out.
 */
export const canSignInByPassword = ({ role }: Pick<DirectoryUser, 'role'>, { settings }: RealmActorState): boolean =>
  role === USER_ROLE.owner || isLoginMethodOn(settings.authentication_methods, PASSWORD_LOGIN_METHOD);

/** Finds the active account of a person by the real address, if the account may have a password. */
function findPasswordAccountByEmail(
  email: string,
  { state, parts, volatile }: RealmActorView,
): DirectoryUser | undefined {
  const user = findUserRecord(parts, volatile.findUserIdByEmail(email) ?? 0);
  if (!user?.isActive || user.botType !== null || isSystemBot(user) || !canSignInByPassword(user, state))
    return undefined;
  return user.deliveryEmail.toLowerCase() === email.toLowerCase() ? user : undefined;
}

export interface PasswordResetLinkInputs {
  readonly user: number;
  readonly hash: string;
  readonly expires: number;
  /** The reset link, encrypted until the mail is sent. */
  readonly sealedLink: string;
}

export function makePasswordResetLink(
  realm: RealmId,
  user: number,
  origin: string,
  { services: { clock, secrets } }: ActorInputSources,
  validityMs = PASSWORD_RESET_LINK_VALIDITY_MS,
): PasswordResetLinkInputs {
  const expires = clock.now() + validityMs;
  const token = sealMailLinkToken(secrets, 'reset-password', { realm, user: toUserId(user), expires });
  const link = sealMailLink(secrets, `${origin}/accounts/password/reset/${token}`);
  return { user, hash: secrets.hashApiKeyOrToken(token), expires, sealedLink: link };
}

/** Makes the mail with a reset link. @param admin name of the administrator who sends it; null: it was requested */
const makePasswordResetMailCommand = (
  user: DirectoryUser,
  link: string,
  admin: string | null,
  view: RealmActorView,
  realm: RealmId,
): OutboxCommand =>
  makeMailToAccount(realm, user, view, (texts, account) => texts.passwordReset(account, { admin, link }));

export const requestPasswordResetHandler: RealmCommandHandler<
  typeof realmActorCommands.askPasswordReset,
  PasswordResetLinkInputs
> = {
  lane: 'invitations',
  // An unknown address causes the same work, so that the response time doesn't reveal whether an account exists.
  inputs: ({ email, origin }, { realm, view }, sources) =>
    makePasswordResetLink(realm, findPasswordAccountByEmail(email, view)?.id ?? 0, origin, sources),
  handle(view, { email }, { user: id, hash, expires, sealedLink }, { realm, now }) {
    const { parts } = view;
    if (!hasEmailAddressForm(email)) throw apiError('ENTER_VALID_EMAIL');
    const { wait, parts: counted } = countMailToAddressIfAllowed(parts, 'passwordReset', email, now);
    if (wait > 0) throw apiError('RATE_LIMIT_HIT', { 'retry-after': wait / 1000 });
    const user = findPasswordAccountByEmail(email, view);
    const reply = makeSuccessReply();
    if (user?.id !== id) return { reply, parts: counted };
    return {
      reply,
      parts: { ...counted, ...makePasswordResetLinkAddition(parts, id, { hash, expires }, now) },
      commands: [[makePasswordResetMailCommand(user, sealedLink, null, view, realm)]],
    };
  },
};

export const mailPasswordResetByAdminHandler: RealmCommandHandler<
  typeof realmActorCommands.sendPasswordReset,
  PasswordResetLinkInputs
> = {
  lane: 'invitations',
  inputs: ({ user_id, origin }, { realm }, sources) => makePasswordResetLink(realm, user_id, origin, sources),
  handle(view, { user_id }, { hash, expires, sealedLink }, { realm, now, caller }) {
    const { parts, state } = view;
    const acting = getActingUserOrThrow(parts, caller);
    if (!isAdminOrOwner(acting)) throw apiError('ADMIN_REQUIRED');
    const user = findUserRecord(parts, user_id);
    if (!user || isSystemBot(user)) throw apiError('NO_SUCH_USER');
    if (!user.isActive) throw apiError('USER_IS_DEACTIVATED');
    if (user.botType !== null) throw apiError('USER_ID_BOT', { user_id });
    if (!canSignInByPassword(user, state)) throw apiError('PASSWORD_AUTH_DISABLED');
    const { wait, parts: counted } = countMailToAddressIfAllowed(parts, 'passwordReset', user.deliveryEmail, now);
    if (wait > 0) throw apiError('RATE_LIMIT_HIT', { 'retry-after': wait / 1000 });
    return {
      reply: makeSuccessReply(),
      parts: { ...counted, ...makePasswordResetLinkAddition(parts, user_id, { hash, expires }, now) },
      commands: [[makePasswordResetMailCommand(user, sealedLink, acting.fullName, view, realm)]],
    };
  },
};

/** Finds the account of a reset link. @throws ApiError if the link was used or voided, or has expired */
function getAccountOfResetLinkOrThrow(
  { parts, state }: RealmActorView,
  user: number,
  hash: string,
  now: number,
): DirectoryUser {
  const account = findUserRecord(parts, user);
  const open = listValidPasswordResetLinks(parts, user, now).some((link) => link.hash === hash);
  if (!open || !account?.isActive || !canSignInByPassword(account, state)) throw apiError('MAIL_LINK');
  return account;
}

export const readPasswordResetPageHandler: RealmCommandHandler<typeof realmActorCommands.peekPasswordReset> = {
  lane: 'read',
  read: true,
  handle(view, { user, hash }, _inputs, { now }) {
    const { deliveryEmail } = getAccountOfResetLinkOrThrow(view, user, hash, now);
    return { reply: makeSuccessReply({ organization: view.state.settings.name, email: deliveryEmail }) };
  },
};

interface NewPasswordInputs {
  /** Hash of the new password; null if the password is too weak, or the link is invalid. */
  readonly passwordHash: string | null;
  readonly newApiKey: NewApiKey;
}

async function prepareNewPasswordInputs(
  account: DirectoryUser | undefined,
  password: string,
  { realm }: CommandInputContext<RealmActorState, RealmMemoryState>,
  sources: ActorInputSources,
): Promise<NewPasswordInputs> {
  const { passwords, secrets } = sources.services;
  const related = account ? [account.deliveryEmail, account.fullName] : [];
  // Without a valid link no password is hashed, because hashing is expensive.
  const good = account !== undefined && (await passwords.isStrongEnough(password, related));
  return { passwordHash: good ? await secrets.hashPassword(password) : null, newApiKey: makeNewApiKey(realm, sources) };
}

/** Sets a password, ends all sessions, voids all links, and notifies the owner of the account. */
function makePasswordChangeCommit(
  user: DirectoryUser,
  passwordHash: string,
  view: Pick<RealmActorView, 'state' | 'parts'>,
  context: CommandContext,
): Required<Pick<CommandOutcome<RealmActorState>, 'events' | 'commands'>> & {
  readonly parts: Readonly<Record<string, Json>>;
} {
  return {
    ...makeSessionsAndLinksEndCommit(view.parts, user.id, null, context),
    commands: [makePasswordChangeCommands({ user, passwordHash, keptSession: null }, view, context.realm)],
  };
}

/**
 * Sets a new password by a reset link. A link works once: the commit voids all links, and commands run one at a time.
 */
export const resetPasswordHandler: RealmCommandHandler<typeof realmActorCommands.resetPassword, NewPasswordInputs> = {
  lane: 'password resets',
  exclusive: true,
  inputs({ user, hash, password }, context, sources) {
    const open = listValidPasswordResetLinks(context.view.parts, user, sources.services.clock.now()).some(
      (one) => one.hash === hash,
    );
    return prepareNewPasswordInputs(
      open ? findUserRecord(context.view.parts, user) : undefined,
      password,
      context,
      sources,
    );
  },
  handle(view, { user: id, hash, newKey, shown }, { passwordHash, newApiKey }, context) {
    const { realm, now, version } = context;
    const user = getAccountOfResetLinkOrThrow(view, id, hash, now);
    if (passwordHash === null) throw apiError('PASSWORD_TOO_WEAK');
    const done = makePasswordChangeCommit(user, passwordHash, view, context);
    const replaced = newKey ? makeApiKeyReplacement(view.parts, user, newApiKey, realm) : undefined;
    const fields = { organization: view.state.settings.name, email: user.deliveryEmail };
    return {
      reply: makeSuccessReply(fields, shown ? version : undefined),
      parts: { ...done.parts, ...replaced?.parts },
      events: [...done.events, ...(replaced?.events ?? [])],
      commands: [...done.commands, ...(replaced?.commands ?? [])],
      replyAfterCommands: true,
    };
  },
};

export const setPasswordOfUserHandler: RealmCommandHandler<typeof realmActorCommands.setPasswordOf, NewPasswordInputs> =
  {
    lane: 'password resets',
    exclusive: true,
    inputs: ({ user_id, password }, context, sources) =>
      prepareNewPasswordInputs(findUserRecord(context.view.parts, user_id), password, context, sources),
    handle(view, { user_id }, { passwordHash }, context) {
      const user = findUserRecord(view.parts, user_id);
      if (!user || isSystemBot(user)) throw apiError('NO_SUCH_USER');
      if (user.botType !== null) throw apiError('USER_ID_BOT', { user_id });
      if (passwordHash === null) throw apiError('PASSWORD_TOO_WEAK');
      return {
        ...makePasswordChangeCommit(user, passwordHash, view, context),
        reply: makeSuccessReply(undefined, context.version),
        replyAfterCommands: true,
      };
    },
  };
