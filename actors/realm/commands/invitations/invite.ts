/** POST /invites (realm.md § Invitations): invites addresses by mail, each with its own link. */
import { randomBytes } from 'node:crypto';
import { makeSuccessReply, type SubscribersByStream } from '#actors/shared';
import type { Json } from '#base';
import {
  domainOfEmailAddress,
  type EmailAddressRefusalReason,
  findEmailDomainPolicyProblem,
  hasEmailAddressForm,
  type IsDisposableDomain,
  isAdminOrOwner,
  isAllowedByPolicy,
  isSystemBot,
  USER_ROLE,
} from '#domain/people';
import type { ArgsOfCommand, realmActorCommands } from '#model/commands';
import { type ApiError, apiError, checkParameterItemCount } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import {
  encodeInvitation,
  type Invitation,
  listValidInvitations,
  makeExpiredInvitationDeletions,
  makeInvitationPartName,
  makeInvitationsChangedEvent,
  weakestInviterRole,
} from '../../invitations.js';
import { countDailyInvitationsOrThrow, countMailsToAddressesIfAllowed } from '../../mail-limits.js';
import { findUserRecord, readEmailDomainRecords } from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import type { RealmActorView, RealmCommandHandler } from '../command.js';
import {
  findFirstInaccessibleStreamId,
  type InvitationLinkMaker,
  makeInvitationMailCommand,
  makeSealedInvitationLinkMaker,
  readSubscribersOfPrivateStreams,
} from './invitation-links.js';

type InviteArgs = ArgsOfCommand<typeof realmActorCommands.invite>;

interface SendInvitationsInputs {
  readonly nonce: string;
  readonly makeSealedLink: InvitationLinkMaker;
  readonly isDisposableDomain: IsDisposableDomain;
  readonly subscribersByStream: SubscribersByStream;
}

/** An address that was refused: the reason, and whether its account was deactivated. */
type RefusedInvitee = readonly [email: string, reason: string, deactivated: boolean];

const REFUSAL_REASON_BY_EMAIL_PROBLEM: Readonly<Record<EmailAddressRefusalReason, string>> = {
  domain: 'Outside your domain.',
  disposable: 'Please use your real email address.',
  plus: 'Email addresses containing + are not allowed.',
};

/** The address has got as many mails from strangers as it may (mail-limits.ts). */
const TOO_MANY_MAILS_REASON = 'Too many invitations to this address. Try again later.';

/** Maximum number of valid invitations of an organization, without links. One reply lists all of them. */
export const MAX_OPEN_INVITATIONS = 20_000;

/**
 * Minimum age of the inviting account, ms, if anyone may join the organization: a new account could otherwise send mail
 * to strangers.
 */
const MIN_INVITER_ACCOUNT_AGE_MS = 3 * 86_400_000;

export const sendInvitationsHandler: RealmCommandHandler<typeof realmActorCommands.invite, SendInvitationsInputs> = {
  lane: 'invitations',

  inputs: async ({ stream_ids, origin }, { realm, view }, sources) => ({
    nonce: randomBytes(4).toString('hex'),
    makeSealedLink: makeSealedInvitationLinkMaker(sources.services.secrets, realm, origin),
    isDisposableDomain: sources.services.disposable,
    subscribersByStream: await readSubscribersOfPrivateStreams(stream_ids, view.parts, realm, sources),
  }),

  handle(view, args, inputs, context) {
    const acting = getActingUserOrThrow(view.parts, context.caller);
    checkMayInvite(acting, args, view, context);
    checkInvitationStreams(acting, args, view, inputs, context);
    if (isInviterTooNew(acting, view, context.now)) throw makeInvitationError('INVITER_TOO_NEW', []);
    const { wrong, taken, good: allowed } = classifyInvitees(args.emails, view, inputs.isDisposableDomain);
    if (wrong.length > 0) throw makeInvitationError('INVITES_INVALID', [...wrong, ...taken]);
    const { waits, parts: counted } = countMailsToAddressesIfAllowed(view.parts, 'invitation', allowed, context.now);
    const good = allowed.filter((_, i) => waits[i] === 0);
    for (const email of allowed.filter((_, i) => waits[i] !== 0)) taken.push([email, TOO_MANY_MAILS_REASON, false]);
    if (good.length === 0) throw makeInvitationError('INVITES_ALL_TAKEN', taken);
    const daily = countDailyInvitationsOrThrow(view.parts, acting, good.length, context.now);
    const open = listValidInvitations(view.parts, 'single', context.now);
    checkParameterItemCount('invites', open.length + good.length, MAX_OPEN_INVITATIONS);
    const commit = makeNewInvitationsCommit(good, acting, view, args, inputs, context);
    return {
      ...commit,
      parts: { ...commit.parts, ...counted, ...daily },
      reply:
        taken.length > 0
          ? { error: makeInvitationError('INVITES_SOME_TAKEN', taken, true).toReply() }
          : makeSuccessReply(),
    };
  },
};

function checkMayInvite(
  acting: DirectoryUser,
  args: InviteArgs,
  { state }: RealmActorView,
  { now }: CommandContext,
): void {
  if (!isAllowedByPolicy(state.settings.invite_to_realm_policy, acting, state.settings, now)) {
    throw apiError('INSUFFICIENT_PERMISSION');
  }
  const weakest = weakestInviterRole('single', args.role);
  if (acting.role > weakest) throw apiError(weakest === USER_ROLE.owner ? 'OWNER_REQUIRED' : 'INVITER_NOT_ADMIN');
  if (args.emails.length === 0) throw apiError('NO_INVITEES');
}

function checkInvitationStreams(
  acting: DirectoryUser,
  { stream_ids }: InviteArgs,
  { state, parts }: RealmActorView,
  { subscribersByStream }: SendInvitationsInputs,
  { now }: CommandContext,
): void {
  const unknown = findFirstInaccessibleStreamId(acting, stream_ids, parts, subscribersByStream);
  if (unknown !== undefined) throw apiError('INVITE_STREAM_UNKNOWN', { stream_id: unknown });
  const policy = state.settings.invite_to_stream_policy;
  if (stream_ids.length > 0 && !isAllowedByPolicy(policy, acting, state.settings, now)) {
    throw apiError('INVITE_MAY_NOT_SUBSCRIBE');
  }
}

const isInviterTooNew = (acting: DirectoryUser, { state }: RealmActorView, now: number): boolean =>
  !state.settings.invite_required && !isAdminOrOwner(acting) && now - acting.joined < MIN_INVITER_ACCOUNT_AGE_MS;

type InvitationErrorName = 'INVITER_TOO_NEW' | 'INVITES_INVALID' | 'INVITES_ALL_TAKEN' | 'INVITES_SOME_TAKEN';

const makeInvitationError = (name: InvitationErrorName, errors: readonly RefusedInvitee[], sent = false): ApiError =>
  apiError(name, {
    errors: errors as unknown as Json,
    sent_invitations: sent,
    license_limit_reached: false,
    daily_limit_reached: false,
  });

function classifyInvitees(
  emails: readonly string[],
  { state, parts, volatile }: RealmActorView,
  disposable: IsDisposableDomain,
) {
  const [wrong, taken]: [RefusedInvitee[], RefusedInvitee[]] = [[], []];
  const good: string[] = [];
  const domains = readEmailDomainRecords(parts);
  for (const email of emails) {
    const id = volatile.findUserIdByEmail(email);
    const problem = hasEmailAddressForm(email)
      ? findEmailDomainPolicyProblem(email, state.settings, domains, disposable(domainOfEmailAddress(email)))
      : undefined;
    if (!hasEmailAddressForm(email)) wrong.push([email, 'Invalid address.', false]);
    else if (problem) wrong.push([email, REFUSAL_REASON_BY_EMAIL_PROBLEM[problem], false]);
    else if (id === undefined) good.push(email);
    else if (isSystemBot({ id })) taken.push([email, 'Reserved for system bots.', false]);
    else if (findUserRecord(parts, id)?.isActive) taken.push([email, 'Already has an account.', false]);
    else taken.push([email, 'Account has been deactivated.', true]);
  }
  return { wrong, taken, good };
}

function makeNewInvitationsCommit(
  emails: readonly string[],
  acting: DirectoryUser,
  { state, parts }: RealmActorView,
  args: InviteArgs,
  { nonce, makeSealedLink }: SendInvitationsInputs,
  { now, realm, version }: CommandContext,
) {
  const made = emails.map(
    (email, i): Invitation => ({
      id: state.invitations.nextSingle + i,
      email,
      inviter: acting.id,
      invited: Math.floor(now / 1000),
      minutes: args.minutes,
      role: args.role,
      streams: [...new Set(args.stream_ids)],
      nonce,
    }),
  );
  return {
    state: { ...state, invitations: { ...state.invitations, nextSingle: state.invitations.nextSingle + made.length } },
    parts: {
      ...makeExpiredInvitationDeletions(parts, now),
      ...Object.fromEntries(made.map((of) => [makeInvitationPartName(of), encodeInvitation(of)])),
    },
    events: [makeInvitationsChangedEvent(version)],
    commands: [made.map((of) => makeInvitationMailCommand(realm, of, acting, state.settings, makeSealedLink))],
  };
}
