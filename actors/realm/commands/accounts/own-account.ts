/** Password, address and name of one's own account, in PATCH /settings (users.md § PATCH /settings). */

import type { Json } from '#base';
import { sealMailLink } from '#domain/mail';
import { domainOfEmailAddress, isAdminOrOwner, toCheckedFullName } from '#domain/people';
import { sealMailLinkToken } from '#domain/secrets';
import { type LogItem, toUserId, userActorKey } from '#model';
import {
  type ChangeOwnAccountArgs,
  type OutboxCommand,
  type PasswordCheckReply,
  userActorCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext, CommandInputContext } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import { findUserRecord, type RealmActorState, readSessionsOfAccount } from '../../state.js';
import type { RealmMemoryState } from '../../volatile.js';
import type { RealmActorView } from '../command.js';
import {
  EMAIL_CHANGE_LINK_VALIDITY_MS,
  type EmailConfirmationLinkInputs,
  makeEmailChangeRequestCommit,
} from './email-change.js';
import { makePasswordChangeCommands } from './password-change.js';
import { makeFullNameChangedEvent } from './person-events.js';
import { makeSessionsAndLinksEndCommit } from './sessions.js';

export interface OwnAccountChangeInputs {
  /** The change of the password; null: the request has none. */
  readonly password: {
    readonly checked: PasswordCheckReply;
    /** `AccountSessions.endedAt` before the old password was checked. */
    readonly endedAt: number;
    /** Hash of the new password; null: the new password is too weak, or the old one was wrong. */
    readonly hash: string | null;
  } | null;
  readonly confirmationLink: EmailConfirmationLinkInputs;
}

type RealmInputContext = CommandInputContext<RealmActorState, RealmMemoryState>;

async function checkAndHashNewPassword(
  { old_password, new_password, email, full_name }: ChangeOwnAccountArgs,
  { realm, caller, view }: RealmInputContext,
  { askActor, services }: ActorInputSources,
): Promise<OwnAccountChangeInputs['password']> {
  if (new_password === '') return null;
  const to = userActorKey(realm, toUserId(caller));
  const { endedAt } = readSessionsOfAccount(view.parts, caller);
  const checked = await askActor(to, userActorCommands.checkPassword, { password: old_password });
  const user = findUserRecord(view.parts, caller);
  const related = [user?.deliveryEmail, user?.fullName, email, full_name].filter((one) => typeof one === 'string');
  const good = checked.correct && (await services.passwords.isStrongEnough(new_password, related));
  return { checked, endedAt, hash: good ? await services.secrets.hashPassword(new_password) : null };
}

export async function loadOwnAccountChangeInputs(
  args: ChangeOwnAccountArgs,
  context: RealmInputContext,
  sources: ActorInputSources,
): Promise<OwnAccountChangeInputs> {
  const { secrets, clock } = sources.services;
  const facts = {
    realm: context.realm,
    user: toUserId(context.caller),
    expires: clock.now() + EMAIL_CHANGE_LINK_VALIDITY_MS,
  };
  const token = sealMailLinkToken(secrets, 'change-email', facts);
  return {
    password: await checkAndHashNewPassword(args, context, sources),
    confirmationLink: {
      hash: secrets.hashApiKeyOrToken(token),
      sealedLink: sealMailLink(secrets, `${args.origin}/accounts/confirm_email/${token}`),
      isDisposableAddress: sources.services.disposable(domainOfEmailAddress(args.email?.trim() ?? '')),
    },
  };
}

export interface OwnAccountChangeOutcome {
  readonly user: DirectoryUser;
  readonly parts: Record<string, Json>;
  readonly events: readonly LogItem[];
  readonly commands: readonly OutboxCommand[];
}

/** Decides the whole change of one's own account, or refuses all of it. @throws ApiError */
export function makeOwnAccountChangeOutcome(
  user: DirectoryUser,
  { full_name, email, session }: ChangeOwnAccountArgs,
  { password, confirmationLink }: OwnAccountChangeInputs,
  facts: RealmActorView,
  context: CommandContext,
): OwnAccountChangeOutcome {
  const { realm, now, version } = context;
  const commands: OutboxCommand[] = [];
  if (password) {
    const { checked, endedAt, hash } = password;
    if (checked.wait > 0) throw apiError('TOO_MANY_ATTEMPTS', { seconds: Math.ceil(checked.wait / 1000) });
    // A password that another request has set since then, by a mailed link for example, is not replaced by the old one.
    const isReplaced = readSessionsOfAccount(facts.parts, user.id).endedAt !== endedAt;
    if (!checked.correct || isReplaced) throw apiError('WRONG_PASSWORD');
    if (hash === null) throw apiError('NEW_PASSWORD_TOO_WEAK');
    const change = { user, passwordHash: hash, keptSession: session ?? null };
    commands.push(...makePasswordChangeCommands(change, facts, realm));
  }
  const request =
    email === null ? undefined : makeEmailChangeRequestCommit(email, user, confirmationLink, facts, { realm, now });
  if (request) commands.push(...request.commands);
  const fixed = facts.state.settings.name_changes_disabled && !isAdminOrOwner(user);
  const fullName =
    full_name === null || full_name === user.fullName || fixed ? user.fullName : toCheckedFullName(full_name);
  const after = fullName === user.fullName ? user : { ...user, fullName };
  const ended = password ? makeSessionsAndLinksEndCommit(facts.parts, user.id, session ?? null, context) : undefined;
  return {
    user: after,
    // A new password voids the links of before, not the one that the same request asks for.
    parts: { ...ended?.parts, ...request?.parts },
    events: [...(ended?.events ?? []), ...(after === user ? [] : [makeFullNameChangedEvent(after, version)])],
    commands,
  };
}
