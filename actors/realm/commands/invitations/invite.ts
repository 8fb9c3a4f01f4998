/** POST /invites (realm.md § Invitations): invites addresses by mail, each with its own link. */
import { randomBytes } from 'node:crypto';
import { type SubscribersByStream, successReply } from '#actors/shared';
import type { Json } from '#base';
import {
  type AddressProblem,
  domainOfAddress,
  findAddressProblem,
  type IsDisposableDomain,
  isAdmin,
  isAllowedByPolicy,
  isEmail,
  isOwner,
  isSystemBot,
  ROLE,
} from '#domain/people';
import type { ArgsOf, realmCommands } from '#model/commands';
import { type ApiError, apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import {
  dropExpiredInvitations,
  encodeInvitation,
  type Invitation,
  invitationPartName,
  invitesChangedEvent,
} from '../../invitations.js';
import { domainRecords, userRecord } from '../../state.js';
import { requireActingUser } from '../callers.js';
import type { RealmCommand, RealmView } from '../command.js';
import {
  firstInaccessibleStream,
  type InvitationLinkMaker,
  invitationMail,
  readInvitationMembers,
  sealedInvitationLinkMaker,
} from './invitation-links.js';

type InviteArgs = ArgsOf<typeof realmCommands.invite>;

interface Inputs {
  readonly nonce: string;
  readonly link: InvitationLinkMaker;
  readonly disposable: IsDisposableDomain;
  readonly members: SubscribersByStream;
}

/** An address that was refused: the reason, and whether its account was deactivated. */
type RefusedInvitee = readonly [email: string, reason: string, deactivated: boolean];

const PROBLEMS: Readonly<Record<AddressProblem, string>> = {
  domain: 'Outside your domain.',
  disposable: 'Please use your real email address.',
  plus: 'Email addresses containing + are not allowed.',
};

/**
 * Minimum age of the inviting account, ms, if anyone may join the organization: a new account could otherwise send mail
 * to strangers.
 */
const MIN_AGE_MS = 3 * 86_400_000;

export const sendInvitationsHandler: RealmCommand<typeof realmCommands.invite, Inputs> = {
  lane: 'invitations',

  inputs: async ({ stream_ids, origin }, { realm, view }, sources) => ({
    nonce: randomBytes(4).toString('hex'),
    link: sealedInvitationLinkMaker(sources.services.secrets, realm, origin),
    disposable: sources.services.disposable,
    members: await readInvitationMembers(stream_ids, view.parts, realm, sources),
  }),

  handle(view, args, inputs, context) {
    const acting = requireActingUser(view.parts, context.caller);
    checkMayInvite(acting, args, view, context);
    checkStreams(acting, args, view, inputs, context);
    if (tooNew(acting, view, context.now)) throw failure('INVITER_TOO_NEW', []);
    const { wrong, taken, good } = sortInvitees(args.emails, view, inputs.disposable);
    if (wrong.length > 0) throw failure('INVITES_INVALID', [...wrong, ...taken]);
    if (good.length === 0) throw failure('INVITES_ALL_TAKEN', taken);
    return {
      ...storeInvitations(good, acting, view, args, inputs, context),
      reply: taken.length > 0 ? { error: failure('INVITES_SOME_TAKEN', taken, true).toReply() } : successReply(),
    };
  },
};

function checkMayInvite(acting: DirectoryUser, args: InviteArgs, { state }: RealmView, { now }: CommandContext): void {
  if (!isAllowedByPolicy(state.settings.invite_to_realm_policy, acting, state.settings, now)) {
    throw apiError('INSUFFICIENT_PERMISSION');
  }
  if (args.role === ROLE.owner && !isOwner(acting)) throw apiError('OWNER_REQUIRED');
  if (args.role < ROLE.member && !isAdmin(acting)) throw apiError('INVITER_NOT_ADMIN');
  if (args.emails.length === 0) throw apiError('NO_INVITEES');
}

function checkStreams(
  acting: DirectoryUser,
  { stream_ids }: InviteArgs,
  { state, parts }: RealmView,
  { members }: Inputs,
  { now }: CommandContext,
): void {
  const unknown = firstInaccessibleStream(acting, stream_ids, parts, members);
  if (unknown !== undefined) throw apiError('INVITE_STREAM_UNKNOWN', { stream_id: unknown });
  const policy = state.settings.invite_to_stream_policy;
  if (stream_ids.length > 0 && !isAllowedByPolicy(policy, acting, state.settings, now)) {
    throw apiError('INVITE_MAY_NOT_SUBSCRIBE');
  }
}

const tooNew = (acting: DirectoryUser, { state }: RealmView, now: number): boolean =>
  !state.settings.invite_required && !isAdmin(acting) && now - acting.joined < MIN_AGE_MS;

type Failure = 'INVITER_TOO_NEW' | 'INVITES_INVALID' | 'INVITES_ALL_TAKEN' | 'INVITES_SOME_TAKEN';

const failure = (name: Failure, errors: readonly RefusedInvitee[], sent = false): ApiError =>
  apiError(name, {
    errors: errors as unknown as Json,
    sent_invitations: sent,
    license_limit_reached: false,
    daily_limit_reached: false,
  });

function sortInvitees(
  emails: readonly string[],
  { state, parts, volatile }: RealmView,
  disposable: IsDisposableDomain,
) {
  const [wrong, taken]: [RefusedInvitee[], RefusedInvitee[]] = [[], []];
  const good: string[] = [];
  const domains = domainRecords(parts);
  for (const email of emails) {
    const id = volatile.userByEmail(email);
    const problem = isEmail(email)
      ? findAddressProblem(email, state.settings, domains, disposable(domainOfAddress(email)))
      : undefined;
    if (!isEmail(email)) wrong.push([email, 'Invalid address.', false]);
    else if (problem) wrong.push([email, PROBLEMS[problem], false]);
    else if (id === undefined) good.push(email);
    else if (isSystemBot({ id })) taken.push([email, 'Reserved for system bots.', false]);
    else if (userRecord(parts, id)?.isActive) taken.push([email, 'Already has an account.', false]);
    else taken.push([email, 'Account has been deactivated.', true]);
  }
  return { wrong, taken, good };
}

function storeInvitations(
  emails: readonly string[],
  acting: DirectoryUser,
  { state, parts }: RealmView,
  args: InviteArgs,
  { nonce, link }: Inputs,
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
      ...dropExpiredInvitations(parts, now),
      ...Object.fromEntries(made.map((of) => [invitationPartName(of), encodeInvitation(of)])),
    },
    events: [invitesChangedEvent(version)],
    commands: [made.map((of) => invitationMail(realm, of, acting, state.settings, link))],
  };
}
