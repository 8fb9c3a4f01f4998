/**
 * Identities at other services, and the accounts that they sign in to. An identity finds its account by issuer and
 * subject; the first time by the address that the issuer has verified; else it makes an account, where the organization
 * lets people join or an invitation to the address stands.
 */

import { createHash } from 'node:crypto';
import { readOwnState, successReply } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import { checkFullName, isOwner, isSystemBot, ROLE } from '#domain/people';
import { withLink, withSession } from '#domain/secrets';
import type { Subscription } from '#domain/streams';
import { isLoginMethodOn, PartTable, SINGLE_SIGN_ON_METHOD, userId } from '#model';
import type { ExternalSignInArgs, realmCommands } from '#model/commands';
import { ApiError, apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext, Outcome } from '#runtime';
import { invitesChangedEvent } from '../../invitations.js';
import { type ActorParts, type RealmState, sessionsOf, userRecord } from '../../state.js';
import { isLastOwner } from '../callers.js';
import type { RealmCommand, RealmView } from '../command.js';
import { acceptedNotice, findInvitationTo, usedInvitations } from '../invitations/join.js';
import { accountChangeEffect } from './account-changes.js';
import { type CommitEffect, mergeCommitEffects } from './effect.js';
import {
  addAccount,
  checkApplicant,
  firstStreamsOfNewcomer,
  type PreparedAccount,
  prepareAccount,
} from './new-account.js';
import { personUpdatedEvent } from './person-events.js';
import { roleChangeEffect } from './role-change.js';
import { storedSessions } from './sessions.js';

export const IDENTITY_PART_PREFIX = 'identity/';
/** Part with the flows that ended in a sign-in, until they would expire anyway. */
export const SPENT_FLOWS_PART = 'spent-flows';

interface Identity extends JsonObject {
  readonly user: number;
  readonly issuer: string;
  readonly subject: string;
}

const IDENTITIES = new PartTable<Identity>(IDENTITY_PART_PREFIX);

const keyOf = ({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>): string =>
  createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url');

const identityOf = (parts: ActorParts, args: ExternalSignInArgs): Identity | undefined =>
  IDENTITIES.get(parts, keyOf(args));

/** Identities of an account. */
const identitiesOf = (parts: ActorParts, user: number): Identity[] =>
  [...IDENTITIES.values(parts)].filter((identity) => identity.user === user);

/** The account that an identity signs in to, if it has one already. */
function findAccount({ parts, volatile }: RealmView, args: ExternalSignInArgs): DirectoryUser | undefined {
  const known = identityOf(parts, args);
  if (known) return userRecord(parts, known.user);
  const user = args.email === null ? undefined : userRecord(parts, volatile.userByEmail(args.email) ?? 0);
  // The API e-mail that stands for a hidden address receives no mail, so no provider verifies it.
  return user?.deliveryEmail.toLowerCase() === args.email?.toLowerCase() ? user : undefined;
}

/** Adds the flow to those that were used. @throws ApiError if it was used before */
function spendFlow(
  parts: ActorParts,
  { hash, expires }: ExternalSignInArgs['flow'],
  now: number,
): Record<string, Json> {
  const spent = (parts.get(SPENT_FLOWS_PART) ?? {}) as Readonly<Record<string, number>>;
  if (expires <= now || Object.hasOwn(spent, hash)) throw apiError('SIGN_IN_FLOW_VOID');
  const left = Object.entries(spent).filter(([, until]) => until > now);
  return { [SPENT_FLOWS_PART]: { ...Object.fromEntries(left), [hash]: expires } };
}

interface SignInInputs {
  /** The account to make; undefined: the identity has one, or may have none. */
  readonly prepared: PreparedAccount | undefined;
  /** All subscriptions of the account, ended ones included; empty unless its role changes. */
  readonly subscriptions: readonly Subscription[];
}

/** Role and streams of a new account. @throws ApiError if the organization lets this person not join */
function admission({ state, parts }: RealmView, { email, role }: ExternalSignInArgs, now: number) {
  if (email === null) throw apiError('IDENTITY_WITHOUT_ADDRESS');
  const invitation = findInvitationTo(parts, email, now);
  if (!invitation && state.settings.invite_required) throw apiError('SIGN_UP_CLOSED');
  return { email, invitation, role: role ?? invitation?.role ?? ROLE.member, streams: invitation?.streams ?? [] };
}

/** A full name that the organization accepts: that of the provider, or the first part of the address. */
function fullNameOf({ fullName }: ExternalSignInArgs, email: string): string {
  try {
    return checkFullName(fullName ?? '');
  } catch {
    return email
      .slice(0, email.indexOf('@'))
      .replace(/[^\p{L}\p{N} .-]/gu, ' ')
      .trim()
      .padEnd(2, '-');
  }
}

/** Owners keep their role, so that a provider can't leave an organization without one. */
const changesRole = (user: DirectoryUser, role: number | null): role is number =>
  role !== null && role !== user.role && !isOwner(user);

type Begun = Required<Pick<CommitEffect, 'parts' | 'events'>>;

/** Begins the session, or stores the link, for which the person signed in. */
function begin(parts: ActorParts, user: number, { session, link }: ExternalSignInArgs, now: number): Begun {
  let account = sessionsOf(parts, user);
  if (session) account = withSession(account, session, now);
  if (link !== null) account = withLink(account, link, now);
  return session || link !== null ? storedSessions(account) : { parts: {}, events: [] };
}

function createdAccount(
  view: RealmView,
  args: ExternalSignInArgs,
  prepared: PreparedAccount | undefined,
  context: CommandContext,
): Outcome<RealmState> {
  const { email, invitation, role, streams } = admission(view, args, context.now);
  if (!prepared) throw apiError('SIGN_IN_FLOW_VOID');
  checkApplicant(prepared, view);
  const first = firstStreamsOfNewcomer(view, streams, role);
  const { user, ...added } = addAccount(view, { prepared, role, streams: first, origin: args.origin }, context);
  const begun = begin(view.parts, user.id, args, context.now);
  return {
    ...added,
    parts: {
      ...added.parts,
      ...begun.parts,
      ...usedInvitations(view.parts, email, context.now),
      ...spendFlow(view.parts, args.flow, context.now),
      ...IDENTITIES.write(keyOf(args), { user: user.id, issuer: args.issuer, subject: args.subject }),
    },
    events: [...added.events, ...begun.events, ...(invitation ? [invitesChangedEvent(context.version)] : [])],
    commands: [
      ...added.commands,
      ...(invitation ? [acceptedNotice(invitation, user, view.parts, args.origin, context)] : []),
    ],
    reply: successReply({ user_id: user.id, created: true }, context.version),
    replyAfterCommands: true,
  };
}

/** Changes of the account that the provider decides. */
function updatedAccount(
  user: DirectoryUser,
  { role, fullName, updateName }: ExternalSignInArgs,
  subscriptions: readonly Subscription[],
  view: RealmView,
  context: CommandContext,
): CommitEffect[] {
  const effects: CommitEffect[] = [];
  let before = user;
  if (changesRole(user, role) && !isLastOwner(view.parts, user)) {
    const changed = roleChangeEffect(user, role, subscriptions, view, context);
    before = changed.user;
    effects.push(changed.effect);
  }
  if (updateName && fullName !== null && fullName !== before.fullName) {
    try {
      const after = { ...before, fullName: checkFullName(fullName) };
      const own = { events: [personUpdatedEvent(context.version, user.id, { full_name: after.fullName })] };
      effects.push(accountChangeEffect({ before, after }, own, view, context));
    } catch (error) {
      // A name that the organization doesn't accept is no reason to keep its user out.
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return effects;
}

export const signInExternallyHandler: RealmCommand<typeof realmCommands.signInExternally, SignInInputs> = {
  // One at a time: two first sign-ins of a person make one account.
  lane: 'directory',
  exclusive: true,

  async inputs(args, { realm, view }, sources) {
    const user = findAccount(view, args);
    if (user) {
      if (!changesRole(user, args.role)) return { prepared: undefined, subscriptions: [] };
      const { subscriptions } = await readOwnState(realm, userId(user.id), ['subscriptions'], sources);
      return { prepared: undefined, subscriptions };
    }
    const { email, role, streams } = admission(view, args, sources.services.clock.now());
    const first = firstStreamsOfNewcomer(view, streams, role);
    const fullName = fullNameOf(args, email);
    const prepared = await prepareAccount({ email, fullName, password: null, streams: first }, realm, sources);
    return { prepared, subscriptions: [] };
  },

  handle(view, args, { prepared, subscriptions }, context) {
    const { parts, state } = view;
    const { now, version } = context;
    if (!isLoginMethodOn(state.settings.authentication_methods, SINGLE_SIGN_ON_METHOD)) {
      throw apiError('SINGLE_SIGN_ON_DISABLED');
    }
    const user = findAccount(view, args);
    if (!user) return createdAccount(view, args, prepared, context);
    if (user.botType !== null || isSystemBot(user)) throw apiError('NO_BOTS');
    if (!user.isActive) throw apiError('USER_DEACTIVATED');
    const known = identityOf(parts, args) !== undefined;
    // An address can be given to another person, who must not get the account with it.
    if (!known && identitiesOf(parts, user.id).some(({ issuer }) => issuer === args.issuer)) {
      throw apiError('IDENTITY_OF_ANOTHER');
    }
    const identity: Identity = { user: user.id, issuer: args.issuer, subject: args.subject };
    const spent = spendFlow(parts, args.flow, now);
    const done = mergeCommitEffects([
      ...updatedAccount(user, args, subscriptions, view, context),
      begin(parts, user.id, args, now),
      { parts: { ...spent, ...(known ? {} : IDENTITIES.write(keyOf(args), identity)) } },
    ]);
    return {
      parts: done.parts,
      events: done.events,
      ...(done.commands.length > 0 ? { commands: [done.commands] } : {}),
      reply: successReply({ user_id: user.id, created: false }, done.events.length > 0 ? version : undefined),
    };
  },
};

export const forgetIdentitiesHandler: RealmCommand<typeof realmCommands.forgetIdentities> = {
  lane: 'directory',
  handle({ parts }, { user_id }) {
    if (!userRecord(parts, user_id)) throw apiError('NO_SUCH_USER');
    const gone = identitiesOf(parts, user_id).map((one) => [IDENTITIES.nameOf(keyOf(one)), null] as const);
    return { reply: successReply(), ...(gone.length > 0 ? { parts: Object.fromEntries(gone) } : {}) };
  },
};
