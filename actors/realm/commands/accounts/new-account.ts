/** A new account, whoever makes it: what is checked (users.md § POST /users), and what comes of it. */

import type { NewcomersHistory } from '#domain/messages';
import { newcomersHistory } from '#domain/messages';
import type { AddressProblem } from '#domain/people';
import { addressProblem, checkFullName, domainOf, isEmail, mailDomain, ROLE } from '#domain/people';
import { byName } from '#domain/streams';
import type { LogItem, RealmId } from '#model';
import { streamKey } from '#model';
import type { FirstAccount, OutboxCommand } from '#model/commands';
import { outboxCommand, streamCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import type { InputSources } from '../../../services.js';
import type { RealmState } from '../../state.js';
import { domainsOf, streamOf, toPart, USER_PART, userDefaultsOf } from '../../state.js';
import type { RealmView } from '../command.js';
import { storePreferences } from '../preferences/preferences.js';
import { userAddedItems } from './person-events.js';
import { createUserCommand, hiddenEmail, newUser } from './user-record.js';
import { welcome } from './welcome.js';

export interface Applicant {
  readonly email: string;
  readonly fullName: string;
  readonly password: string;
  /** Those that he will probably be subscribed to. */
  readonly streams: readonly DirectoryStream[];
}

/** What a handler can't work out itself: a password takes longer to hash than it may, keys are random. */
export interface PreparedAccount {
  readonly account: FirstAccount;
  readonly strong: boolean;
  readonly disposable: boolean;
  /** undefined: there is nothing to be seen of the past. */
  readonly history: NewcomersHistory | undefined;
}

/** Its past is given to everybody. */
const isOpen = (stream: DirectoryStream): boolean => !stream.inviteOnly;

export async function prepareAccount(
  { email, fullName, password, streams }: Applicant,
  realm: RealmId,
  { store, services: { secrets, passwords, disposable, clock } }: InputSources,
): Promise<PreparedAccount> {
  const key = secrets.newApiKey(realm);
  const strong = await passwords.strongEnough(password, [email, fullName]);
  const open = streams.filter(isOpen).map(({ id }) => id);
  return {
    strong,
    disposable: disposable(domainOf(email)),
    history: strong ? await newcomersHistory(store, realm, open, clock.now()) : undefined,
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

/** @throws ApiError for an address that the organization does not admit */
export function checkAddress(email: string, disposable: boolean, { state, parts }: RealmView): void {
  const problem = addressProblem(email, state.settings, domainsOf(parts), disposable);
  if (problem) refuseAddress(problem, email);
}

function refuseAddress(problem: AddressProblem, email: string): never {
  if (problem === 'domain') throw apiError('EMAIL_NOT_ALLOWED', { email });
  throw apiError(REFUSALS[problem] as 'EMAIL_DISPOSABLE' | 'EMAIL_PLUS');
}

/** In the order of users.md. @throws ApiError */
export function checkApplicant({ account, strong, disposable }: PreparedAccount, view: RealmView): void {
  const { volatile } = view;
  const { email } = account;
  checkFullName(account.fullName);
  if (!isEmail(email)) throw apiError('NAME_OR_USERNAME');
  checkAddress(email, disposable, view);
  if (volatile.userByEmail(email) !== undefined) throw apiError('EMAIL_IN_USE', { email });
  if (!strong) throw apiError('PASSWORD_TOO_WEAK');
}

type Streams = Pick<RealmView, 'parts' | 'volatile'>;

/** As `defaultStreams`, without a look at every account. */
const defaults = ({ parts, volatile }: Streams): DirectoryStream[] =>
  [...volatile.streams()]
    .flatMap((id) => streamOf(parts, id) ?? [])
    .filter((stream) => stream.isDefault && !stream.archived)
    .sort(byName);

/** Streams that a newcomer is subscribed to: those named that are still there, else the default ones; guests get none of these. */
export function firstStreams(of: Streams, named: readonly number[], role: number): DirectoryStream[] {
  if (named.length === 0) return role === ROLE.guest ? [] : defaults(of);
  return named.flatMap((id) => {
    const stream = streamOf(of.parts, id);
    return stream && !stream.archived ? [stream] : [];
  });
}

export interface Newcomer {
  readonly prepared: PreparedAccount;
  readonly role: number;
  readonly streams: readonly DirectoryStream[];
  /** Base URL of the organization; null: nobody is greeted. */
  readonly origin: string | null;
}

export interface AddedAccount {
  readonly user: DirectoryUser;
  readonly state: RealmState;
  readonly parts: Record<string, ReturnType<typeof toPart>>;
  readonly events: readonly LogItem[];
  readonly commands: readonly (readonly OutboxCommand[])[];
}

/**
 * Costs the same however many accounts there are: nobody can have been subscribed to anything, so no list of subscribers is
 * read, and nobody can have a queue yet, so no event shows one.
 */
export function addAccount(view: RealmView, of: Newcomer, { now, realm, version }: CommandContext): AddedAccount {
  const { state, parts, volatile } = view;
  const { account, history } = of.prepared;
  const id = state.nextUser;
  const defaults = userDefaultsOf(parts);
  // A fact of the account itself.
  const { email_address_visibility: _, ...settings } = defaults;
  const user = newUser({
    id,
    recipient: state.nextRecipient,
    account,
    role: of.role,
    now,
    hidden: hiddenEmail(defaults, id, mailDomain(of.origin ?? ''), volatile),
  });
  volatile.addUser(id, user.email, user.deliveryEmail);
  const personal =
    Object.keys(settings).length === 0
      ? undefined
      : storePreferences({ user: user.id, settings, alertWords: [], muted: [] });
  const first = of.streams.map((stream) => {
    const mark = isOpen(stream) ? (history?.mark ?? 0) : 0;
    return { id: stream.id, recipient: stream.recipient, mark };
  });
  const joins = of.streams.map((stream): OutboxCommand => {
    const after = isOpen(stream) && history ? { after: history.after } : {};
    return outboxCommand({
      to: streamKey(realm, stream.id),
      name: streamCommands.join,
      args: { users: [id], ...after },
      caller: 0,
      after: version,
    });
  });
  return {
    user,
    state: { ...state, nextUser: id + 1, nextRecipient: state.nextRecipient + 1 },
    parts: { [`${USER_PART}${id}`]: toPart(user), ...personal?.parts },
    events: [...userAddedItems(user, state.settings, now, version), ...(personal ? [personal.change] : [])],
    commands: [
      [createUserCommand(realm, id, account, version, first)],
      joins,
      of.origin === null ? [] : welcome(view, user, of.origin, realm, version),
    ],
  };
}
