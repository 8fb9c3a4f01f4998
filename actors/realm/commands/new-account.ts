/** A new account, whoever makes it: what is checked (users.md § POST /users), and what comes of it. */
import { apiError, PRODUCT } from '../../../src/api/errors.js';
import type { RealmId } from '../../../src/core/index.js';
import type { DirectoryStream, DirectoryUser } from '../../../src/directory/index.js';
import {
  type AddressProblem,
  addressProblem,
  checkFullName,
  domainOf,
  isEmail,
  ROLE,
} from '../../../src/people/index.js';
import type { CommandContext, HostServices, LogItem, OutboxCommand } from '../../../src/runtime/index.js';
import { silentMention, streamNotice } from '../../shared/notices.js';
import type { Subscribers } from '../../shared/subscribers.js';
import { asPart, domainsOf, type Parts, type RealmState, streamOf, USER_PART, usersOf } from '../state.js';
import { createUserCommand, type NewAccount, newUser } from './create-realm.js';
import { userAdded } from './create-user.js';
import { defaultStreams } from './stream-events.js';
import type { RealmView } from './subscribe.js';
import { JoiningPlan } from './subscription-plan.js';

export interface Applicant {
  readonly email: string;
  readonly fullName: string;
  readonly password: string;
}

/** What a handler can't work out itself: a password takes longer to hash than it may, keys are random. */
export interface PreparedAccount {
  readonly account: NewAccount;
  readonly strong: boolean;
  readonly disposable: boolean;
}

export async function prepareAccount(
  { email, fullName, password }: Applicant,
  realm: RealmId,
  { secrets, passwords, disposable }: HostServices,
): Promise<PreparedAccount> {
  const key = secrets.newApiKey(realm);
  const strong = passwords.strongEnough(password, [email, fullName]);
  return {
    strong,
    disposable: disposable(domainOf(email)),
    account: {
      email,
      fullName: fullName.trim(),
      passwordHash: strong ? await secrets.hashPassword(password) : null,
      keyHash: secrets.keyHash(key),
      keySealed: secrets.seal(key),
    },
  };
}

const REFUSALS = { domain: 'EMAIL_NOT_ALLOWED', disposable: 'EMAIL_DISPOSABLE', plus: 'EMAIL_PLUS' } as const;

function refuseAddress(problem: AddressProblem, email: string): never {
  if (problem === 'domain') throw apiError('EMAIL_NOT_ALLOWED', { email });
  throw apiError(REFUSALS[problem] as 'EMAIL_DISPOSABLE' | 'EMAIL_PLUS');
}

/** In the order of users.md. @throws ApiError */
export function checkApplicant({ account, strong, disposable }: PreparedAccount, view: RealmView): void {
  const { state, parts, volatile } = view;
  const { email } = account;
  checkFullName(account.fullName);
  if (!isEmail(email)) throw apiError('NAME_OR_USERNAME');
  const problem = addressProblem(email, state.settings, domainsOf(parts), disposable);
  if (problem) refuseAddress(problem, email);
  if (volatile.userByEmail(email) !== undefined) throw apiError('EMAIL_IN_USE', { email });
  if (!strong) throw apiError('PASSWORD_TOO_WEAK');
}

/** Streams that a newcomer is subscribed to: those named that are still there, else the default ones; guests get none of these. */
export function newcomersStreams(parts: Parts, named: readonly number[], role: number): DirectoryStream[] {
  if (named.length === 0) return role === ROLE.guest ? [] : defaultStreams(parts);
  return named.flatMap((id) => {
    const stream = streamOf(parts, id);
    return stream && !stream.archived ? [stream] : [];
  });
}

export interface Newcomer {
  readonly prepared: PreparedAccount;
  readonly role: number;
  readonly streams: readonly DirectoryStream[];
  /** Who is subscribed to them. */
  readonly members: Subscribers;
  /** Base URL of the organization. */
  readonly origin: string;
}

export interface Added {
  readonly user: DirectoryUser;
  readonly state: RealmState;
  readonly parts: Record<string, ReturnType<typeof asPart>>;
  readonly events: readonly LogItem[];
  readonly commands: readonly (readonly OutboxCommand[])[];
}

/** Needs the lane of the directory: who is subscribed must not change meanwhile. */
export function addAccount(view: RealmView, of: Newcomer, { now, realm, version }: CommandContext): Added {
  const { state, volatile } = view;
  const { account } = of.prepared;
  const id = state.nextUser;
  const user = newUser({
    id,
    recipient: state.nextRecipient,
    account,
    role: of.role,
    now,
    // The peer gives this right to nobody by default; here owners and administrators have it.
    canCreateUsers: of.role <= ROLE.admin,
  });
  volatile.addUser(id, user.email, user.deliveryEmail);
  const plan = new JoiningPlan(realm, [user], id, of.members, new Map());
  for (const stream of of.streams) plan.add(stream, false);
  return {
    user,
    state: { ...state, nextUser: id + 1, nextRecipient: state.nextRecipient + 1 },
    parts: { [`${USER_PART}${id}`]: asPart(user) },
    events: userAdded(user, state.settings, now, version),
    commands: [
      [createUserCommand(realm, id, account, version)],
      ...plan.stages(version),
      signupNotices(view, user, of.origin, realm, version),
    ],
  };
}

const SIGNUPS = 'signups';

function signupNotices(
  { state, parts }: RealmView,
  user: DirectoryUser,
  origin: string,
  realm: RealmId,
  after: number,
): OutboxCommand[] {
  const stream = Number(state.settings.signup_notifications_stream_id);
  if (!(stream > 0)) return [];
  let total = 1;
  for (const one of usersOf(parts)) if (one.isActive && one.botType === null) total++;
  const content = `${silentMention(user)} just signed up for ${PRODUCT}. (total: ${total})`;
  return [streamNotice(realm, stream, SIGNUPS, { content, origin, after })];
}
