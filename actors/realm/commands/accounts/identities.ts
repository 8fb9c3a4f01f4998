/**
 * Identities at identity providers, and the accounts that they sign in to. An identity finds its account by issuer and
 * subject, the first time by the address that the issuer has verified. If there is no account, one is made, where the
 * organization is open or an invitation to the address is valid.
 */

import { createHash } from 'node:crypto';
import { makeSuccessReply } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import { hasEmailAddressForm, isOwner, isSystemBot, toCheckedFullName, USER_ROLE } from '#domain/people';
import { withSessionAdded, withSignInLinkAdded } from '#domain/secrets';
import { ActorPartAccessor, isLoginMethodOn, SINGLE_SIGN_ON_LOGIN_METHOD } from '#model';
import type { ExternalSignInArgs, realmActorCommands } from '#model/commands';
import { ApiError, apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext, CommandOutcome } from '#runtime';
import { type ActorParts, findUserRecord, type RealmActorState, readSessionsOfAccount } from '../../state.js';
import { isLastActiveOwner } from '../callers.js';
import type { RealmActorView, RealmCommandHandler } from '../command.js';
import { findNewestValidInvitationToAddress, makeInvitationAcceptedNoticeCommands } from '../invitations/join.js';
import { makeAccountChangeCommit } from './account-changes.js';
import { mergePartialCommits, type PartialCommit } from './effect.js';
import {
  addAccountToRealm,
  checkPreparedNewAccount,
  listFirstStreamsOfNewUser,
  type NewAccountInputs,
  prepareNewAccount,
} from './new-account.js';
import { makeUserUpdatedEvent } from './person-events.js';
import { makeRoleChangeCommit, readSubscriptionsForRoleChange, type SubscriptionsByAccount } from './role-change.js';
import { makeStoredSessionsChanges } from './sessions.js';

export const EXTERNAL_IDENTITY_PART_PREFIX = 'identity/';
/** Prefix of parts, one for each flow that ended in a sign-in, until the flow would expire anyway. */
export const SPENT_SIGN_IN_FLOW_PART_PREFIX = 'spent-flow/';
const SPENT_SIGN_IN_FLOW_TABLE = new ActorPartAccessor<ExternalSignInArgs['flow']>(SPENT_SIGN_IN_FLOW_PART_PREFIX);

interface StoredExternalIdentity extends JsonObject {
  readonly user: number;
  readonly issuer: string;
  readonly subject: string;
}

const EXTERNAL_IDENTITY_TABLE = new ActorPartAccessor<StoredExternalIdentity>(EXTERNAL_IDENTITY_PART_PREFIX);

const computeIdentityKey = ({ issuer, subject }: Pick<StoredExternalIdentity, 'issuer' | 'subject'>): string =>
  createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url');

const findStoredIdentity = (parts: ActorParts, args: ExternalSignInArgs): StoredExternalIdentity | undefined =>
  EXTERNAL_IDENTITY_TABLE.findPartValue(parts, computeIdentityKey(args));

/** Returns the identities that are linked to an account. */
const listIdentitiesOfAccount = (parts: ActorParts, user: number): StoredExternalIdentity[] =>
  [...EXTERNAL_IDENTITY_TABLE.values(parts)].filter((identity) => identity.user === user);

/** Finds the account that an identity signs in to; undefined if it has none yet. */
function findAccountOfIdentityOrEmail(
  { parts, volatile }: RealmActorView,
  args: ExternalSignInArgs,
): DirectoryUser | undefined {
  const known = findStoredIdentity(parts, args);
  if (known) return findUserRecord(parts, known.user);
  const user = args.email === null ? undefined : findUserRecord(parts, volatile.findUserIdByEmail(args.email) ?? 0);
  // The API e-mail that stands for a hidden address receives no mail, so no provider verifies it.
  return user?.deliveryEmail.toLowerCase() === args.email?.toLowerCase() ? user : undefined;
}

/** Maximum number of outlived flows that one sign-in deletes. */
const MAX_EXPIRED_FLOWS_DELETED_PER_SIGN_IN = 100;

/** Adds the sign-in flow to those that were used. @throws ApiError if it was used before */
function checkAndMarkSignInFlowSpent(
  parts: ActorParts,
  flow: ExternalSignInArgs['flow'],
  now: number,
): Record<string, Json> {
  if (flow.expires <= now || SPENT_SIGN_IN_FLOW_TABLE.findPartValue(parts, flow.hash))
    throw apiError('SIGN_IN_FLOW_VOID');
  const outlived = [...SPENT_SIGN_IN_FLOW_TABLE.values(parts)]
    .filter(({ expires }) => expires <= now)
    .slice(0, MAX_EXPIRED_FLOWS_DELETED_PER_SIGN_IN);
  return {
    ...Object.fromEntries(outlived.map(({ hash }) => [SPENT_SIGN_IN_FLOW_TABLE.partNameOf(hash), null])),
    ...SPENT_SIGN_IN_FLOW_TABLE.makePartChange(flow.hash, flow),
  };
}

interface ExternalSignInInputs {
  /** The account to make; undefined if the identity has one already, or may not have one. */
  readonly preparedAccount: NewAccountInputs | undefined;
  readonly subscriptions: SubscriptionsByAccount;
}

/** Returns role and streams of a new account. @throws ApiError if the person may not join the organization */
function getAdmissionOfNewcomerOrThrow(
  { state, parts }: RealmActorView,
  { email, role }: ExternalSignInArgs,
  now: number,
) {
  if (email === null) throw apiError('IDENTITY_WITHOUT_ADDRESS');
  if (!hasEmailAddressForm(email)) throw apiError('IDENTITY_WITH_UNUSABLE_ADDRESS', { email });
  const invitation = findNewestValidInvitationToAddress(parts, email, now);
  if (!invitation && state.settings.invite_required) throw apiError('SIGN_UP_CLOSED');
  return { email, invitation, role: role ?? invitation?.role ?? USER_ROLE.member, streams: invitation?.streams ?? [] };
}

/** Returns a full name that the organization accepts: the one from the provider, or the first part of the address. */
function chooseFullNameOfNewcomer({ fullName }: ExternalSignInArgs, email: string): string {
  try {
    return toCheckedFullName(fullName ?? '');
  } catch {
    return email
      .slice(0, email.indexOf('@'))
      .replace(/[^\p{L}\p{N} .-]/gu, ' ')
      .trim()
      .padEnd(2, '-');
  }
}

/**
 * True if the provider changes the account's role. Owners keep their role, so that a provider can't leave an
 * organization without one.
 */
const isRoleChangedByProvider = (user: DirectoryUser, role: number | null): role is number =>
  role !== null && role !== user.role && !isOwner(user);

type SessionStartCommit = Required<Pick<PartialCommit, 'parts' | 'events'>>;

/** Begins the session, or stores the one-time link, for which the person signed in. */
function makeSessionOrSignInLinkCommit(
  parts: ActorParts,
  user: number,
  { session, link }: ExternalSignInArgs,
  now: number,
): SessionStartCommit {
  let account = readSessionsOfAccount(parts, user);
  if (session) account = withSessionAdded(account, session, now);
  if (link !== null) account = withSignInLinkAdded(account, link, now);
  return session || link !== null ? makeStoredSessionsChanges(account) : { parts: {}, events: [] };
}

function makeExternalSignUpOutcome(
  view: RealmActorView,
  args: ExternalSignInArgs,
  prepared: NewAccountInputs | undefined,
  context: CommandContext,
): CommandOutcome<RealmActorState> {
  const { invitation, role, streams } = getAdmissionOfNewcomerOrThrow(view, args, context.now);
  if (!prepared) throw apiError('SIGN_IN_FLOW_VOID');
  checkPreparedNewAccount(prepared, view);
  const first = listFirstStreamsOfNewUser(view, streams, role);
  const { user, ...added } = addAccountToRealm(view, { prepared, role, streams: first, origin: args.origin }, context);
  const begun = makeSessionOrSignInLinkCommit(view.parts, user.id, args, context.now);
  return {
    ...added,
    parts: {
      ...added.parts,
      ...begun.parts,
      ...checkAndMarkSignInFlowSpent(view.parts, args.flow, context.now),
      ...EXTERNAL_IDENTITY_TABLE.makePartChange(computeIdentityKey(args), {
        user: user.id,
        issuer: args.issuer,
        subject: args.subject,
      }),
    },
    events: [...added.events, ...begun.events],
    commands: [
      ...added.commands,
      ...(invitation ? [makeInvitationAcceptedNoticeCommands(invitation, user, view.parts, args.origin, context)] : []),
    ],
    reply: makeSuccessReply({ user_id: user.id, created: true }, context.version),
    replyAfterCommands: true,
  };
}

/** Applies the changes of the account that the identity provider decides. */
function makeProviderUpdateCommits(
  user: DirectoryUser,
  { role, fullName, updateName }: ExternalSignInArgs,
  subscriptions: SubscriptionsByAccount,
  view: RealmActorView,
  context: CommandContext,
): PartialCommit[] {
  const effects: PartialCommit[] = [];
  let before = user;
  if (isRoleChangedByProvider(user, role) && !isLastActiveOwner(view.parts, user)) {
    const changed = makeRoleChangeCommit(user, role, subscriptions, view, context);
    before = changed.user;
    effects.push(changed.effect);
  }
  if (updateName && fullName !== null && fullName !== before.fullName) {
    try {
      const after = { ...before, fullName: toCheckedFullName(fullName) };
      const own = { events: [makeUserUpdatedEvent(context.version, user.id, { full_name: after.fullName })] };
      effects.push(makeAccountChangeCommit({ before, after }, own, view, context));
    } catch (error) {
      // A name that the organization doesn't accept is left out, but the user may still sign in.
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return effects;
}

export const signInExternallyHandler: RealmCommandHandler<
  typeof realmActorCommands.signInExternally,
  ExternalSignInInputs
> = {
  // Sign-ins run one at a time: two first sign-ins of a person must make only one account.
  lane: 'directory',
  exclusive: true,

  async inputs(args, { realm, view }, sources) {
    const user = findAccountOfIdentityOrEmail(view, args);
    if (user) {
      const role = isRoleChangedByProvider(user, args.role) ? args.role : null;
      const subscriptions = await readSubscriptionsForRoleChange(user, role, view.parts, realm, sources);
      return { preparedAccount: undefined, subscriptions };
    }
    const { email, role, streams } = getAdmissionOfNewcomerOrThrow(view, args, sources.services.clock.now());
    const first = listFirstStreamsOfNewUser(view, streams, role);
    const fullName = chooseFullNameOfNewcomer(args, email);
    const prepared = await prepareNewAccount({ email, fullName, password: null, streams: first }, realm, sources);
    return { preparedAccount: prepared, subscriptions: new Map() };
  },

  handle(view, args, { preparedAccount, subscriptions }, context) {
    const { parts, state } = view;
    const { now, version } = context;
    if (!isLoginMethodOn(state.settings.authentication_methods, SINGLE_SIGN_ON_LOGIN_METHOD)) {
      throw apiError('SINGLE_SIGN_ON_DISABLED');
    }
    const user = findAccountOfIdentityOrEmail(view, args);
    if (!user) return makeExternalSignUpOutcome(view, args, preparedAccount, context);
    if (user.botType !== null || isSystemBot(user)) throw apiError('NO_BOTS');
    if (!user.isActive) throw apiError('USER_DEACTIVATED');
    const known = findStoredIdentity(parts, args) !== undefined;
    // The provider may have given the address to another person, who must not get the account of its former owner.
    if (!known && listIdentitiesOfAccount(parts, user.id).some(({ issuer }) => issuer === args.issuer)) {
      throw apiError('IDENTITY_OF_ANOTHER');
    }
    const identity: StoredExternalIdentity = { user: user.id, issuer: args.issuer, subject: args.subject };
    const spent = checkAndMarkSignInFlowSpent(parts, args.flow, now);
    const done = mergePartialCommits([
      ...makeProviderUpdateCommits(user, args, subscriptions, view, context),
      makeSessionOrSignInLinkCommit(parts, user.id, args, now),
      {
        parts: {
          ...spent,
          ...(known ? {} : EXTERNAL_IDENTITY_TABLE.makePartChange(computeIdentityKey(args), identity)),
        },
      },
    ]);
    return {
      parts: done.parts,
      events: done.events,
      ...(done.commands.length > 0 ? { commands: [done.commands] } : {}),
      reply: makeSuccessReply({ user_id: user.id, created: false }, done.events.length > 0 ? version : undefined),
    };
  },
};

export const forgetExternalIdentitiesHandler: RealmCommandHandler<typeof realmActorCommands.forgetIdentities> = {
  lane: 'directory',
  handle({ parts }, { user_id }) {
    if (!findUserRecord(parts, user_id)) throw apiError('NO_SUCH_USER');
    const gone = listIdentitiesOfAccount(parts, user_id).map(
      (one) => [EXTERNAL_IDENTITY_TABLE.partNameOf(computeIdentityKey(one)), null] as const,
    );
    return { reply: makeSuccessReply(), ...(gone.length > 0 ? { parts: Object.fromEntries(gone) } : {}) };
  },
};
