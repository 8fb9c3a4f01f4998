/** The part of PATCH /settings that is about the account itself: password, address, name (users.md § PATCH /settings). */

import type { Json } from '#base';
import { hiddenLink } from '#domain/mail';
import { checkFullName, domainOf, isAdmin } from '#domain/people';
import { sealLink } from '#domain/secrets';
import type { LogItem } from '#model';
import { userId, userKey } from '#model';
import type { AccountArgs, OutboxCommand, PasswordCheck } from '#model/commands';
import { outboxCommand, userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext, InputContext } from '#runtime';
import type { InputSources } from '../../../services.js';
import type { RealmState } from '../../state.js';
import { userOf } from '../../state.js';
import type { RealmVolatile } from '../../volatile.js';
import type { Link, RealmFacts } from './email-change.js';
import { askForAddress, LINK_MS } from './email-change.js';
import { nameChanged } from './person-events.js';

export interface AccountInputs {
  /** null: no new password is asked for. */
  readonly password: {
    readonly checked: PasswordCheck;
    /** null: too weak, or the old one was wrong. */
    readonly hash: string | null;
  } | null;
  readonly link: Link;
}

type Needs = InputContext<RealmState, RealmVolatile>;

async function newPassword(
  { old_password, new_password, email, full_name }: AccountArgs,
  { realm, caller, view }: Needs,
  { ask, services }: InputSources,
): Promise<AccountInputs['password']> {
  if (new_password === '') return null;
  const to = userKey(realm, userId(caller));
  const checked = await ask(to, userCommands.checkPassword, { password: old_password });
  const user = userOf(view.parts, caller);
  const related = [user?.deliveryEmail, user?.fullName, email, full_name].filter((one) => typeof one === 'string');
  const good = checked.correct && (await services.passwords.strongEnough(new_password, related));
  return { checked, hash: good ? await services.secrets.hashPassword(new_password) : null };
}

export async function accountInputs(args: AccountArgs, context: Needs, sources: InputSources): Promise<AccountInputs> {
  const { secrets, clock } = sources.services;
  const facts = { realm: context.realm, user: userId(context.caller), expires: clock.now() + LINK_MS };
  const token = sealLink(secrets, 'change-email', facts);
  return {
    password: await newPassword(args, context, sources),
    link: {
      hash: secrets.keyHash(token),
      mailed: hiddenLink(secrets, `${args.origin}/accounts/confirm_email/${token}`),
      disposable: sources.services.disposable(domainOf(args.email?.trim() ?? '')),
    },
  };
}

export interface OwnAccountChange {
  readonly user: DirectoryUser;
  readonly parts: Record<string, Json>;
  readonly events: readonly LogItem[];
  readonly commands: readonly OutboxCommand[];
}

/** Checks all of it before any of it is done. @throws ApiError */
export function changeAccount(
  user: DirectoryUser,
  { full_name, email }: AccountArgs,
  { password, link }: AccountInputs,
  facts: RealmFacts,
  { realm, now, version }: CommandContext,
): OwnAccountChange {
  const commands: OutboxCommand[] = [];
  if (password) {
    const { checked, hash } = password;
    if (checked.wait > 0) throw apiError('TOO_MANY_ATTEMPTS', { seconds: Math.ceil(checked.wait / 1000) });
    if (!checked.correct) throw apiError('WRONG_PASSWORD');
    if (hash === null) throw apiError('NEW_PASSWORD_TOO_WEAK');
    commands.push(
      outboxCommand({
        to: userKey(realm, user.id),
        name: userCommands.setPassword,
        args: { passwordHash: hash },
        caller: 0,
      }),
    );
  }
  const asked = email === null ? undefined : askForAddress(email, user, link, facts, { realm, now });
  if (asked) commands.push(...asked.commands);
  const fixed = facts.state.settings.name_changes_disabled && !isAdmin(user);
  const fullName =
    full_name === null || full_name === user.fullName || fixed ? user.fullName : checkFullName(full_name);
  const after = fullName === user.fullName ? user : { ...user, fullName };
  return {
    user: after,
    parts: asked?.parts ?? {},
    events: after === user ? [] : [nameChanged(after, version)],
    commands,
  };
}
