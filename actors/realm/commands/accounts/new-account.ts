/**
 * New accounts of people, by POST /users, an invitation or a sign-up: prepare (hashing, keys), check (users.md
 * § POST /users), and add to the organization.
 */

import { findNewcomerHistory, type NewcomerHistory } from '#domain/messages';
import {
  type AddressProblem,
  checkFullName,
  domainOfAddress,
  findAddressProblem,
  isEmail,
  mailDomainOfOrigin,
  ROLE,
} from '#domain/people';
import { compareByName } from '#domain/streams';
import { type LogItem, type RealmId, streamKey } from '#model';
import { type FirstAccount, type OutboxCommand, outboxCommand, streamCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import type { InputSources } from '../../../services.js';
import {
  domainRecords,
  encodeRecord,
  type RealmState,
  streamRecord,
  USER_PART_PREFIX,
  userDefaultsRecord,
} from '../../state.js';
import type { RealmView } from '../command.js';
import { storePreferences } from '../preferences/preferences.js';
import { userAddedItems } from './person-events.js';
import { createUserCommand, emailVisibilityOfNewUser, newUserRecord } from './user-record.js';
import { welcomeCommands } from './welcome.js';

interface ApplicantData {
  readonly email: string;
  readonly fullName: string;
  /** null: the account has none, because its user signs in by other means. */
  readonly password: string | null;
  /** Streams that the newcomer will probably be subscribed to. */
  readonly streams: readonly DirectoryStream[];
}

/** Inputs that a handler can't compute: a hashed password takes too long, and API keys are random. */
export interface PreparedAccount {
  readonly account: FirstAccount;
  readonly strong: boolean;
  readonly disposable: boolean;
  /** Old messages that the newcomer gets as copies; undefined: none. */
  readonly history: NewcomerHistory | undefined;
}

/** True for a stream whose recent messages newcomers get: every public stream. */
const isOpen = (stream: DirectoryStream): boolean => !stream.inviteOnly;

export async function prepareAccount(
  { email, fullName, password, streams }: ApplicantData,
  realm: RealmId,
  { store, services: { secrets, passwords, disposable, clock } }: InputSources,
): Promise<PreparedAccount> {
  const key = secrets.newApiKey(realm);
  const strong = password === null || (await passwords.strongEnough(password, [email, fullName]));
  const open = streams.filter(isOpen).map(({ id }) => id);
  return {
    strong,
    disposable: disposable(domainOfAddress(email)),
    history: strong ? await findNewcomerHistory(store, realm, open, clock.now()) : undefined,
    account: {
      email,
      fullName: fullName.trim(),
      passwordHash: strong && password !== null ? await secrets.hashPassword(password) : null,
      keyHash: secrets.keyHash(key),
      keySealed: secrets.seal(key),
    },
  };
}

const REFUSALS = { domain: 'EMAIL_NOT_ALLOWED', disposable: 'EMAIL_DISPOSABLE', plus: 'EMAIL_PLUS' } as const;

/** Checks that the organization admits the address. @throws ApiError */
export function checkAddressAdmitted(email: string, disposable: boolean, { state, parts }: RealmView): void {
  const problem = findAddressProblem(email, state.settings, domainRecords(parts), disposable);
  if (problem) refuseAddress(problem, email);
}

function refuseAddress(problem: AddressProblem, email: string): never {
  if (problem === 'domain') throw apiError('EMAIL_NOT_ALLOWED', { email });
  throw apiError(REFUSALS[problem] as 'EMAIL_DISPOSABLE' | 'EMAIL_PLUS');
}

/** Checks a new account in the order of users.md. @throws ApiError */
export function checkApplicant({ account, strong, disposable }: PreparedAccount, view: RealmView): void {
  const { volatile } = view;
  const { email } = account;
  checkFullName(account.fullName);
  if (!isEmail(email)) throw apiError('NAME_OR_USERNAME');
  checkAddressAdmitted(email, disposable, view);
  if (volatile.userByEmail(email) !== undefined) throw apiError('EMAIL_IN_USE', { email });
  if (!strong) throw apiError('PASSWORD_TOO_WEAK');
}

type Streams = Pick<RealmView, 'parts' | 'volatile'>;

/** Default streams, found by the index of streams instead of a scan of all parts. */
const defaults = ({ parts, volatile }: Streams): DirectoryStream[] =>
  [...volatile.streams()]
    .flatMap((id) => streamRecord(parts, id) ?? [])
    .filter((stream) => stream.isDefault && !stream.archived)
    .sort(compareByName);

/**
 * The streams to which a newcomer is subscribed: the named ones that still exist, or the default streams; guests get no
 * default streams.
 */
export function firstStreamsOfNewcomer(of: Streams, named: readonly number[], role: number): DirectoryStream[] {
  if (named.length === 0) return role === ROLE.guest ? [] : defaults(of);
  return named.flatMap((id) => {
    const stream = streamRecord(of.parts, id);
    return stream && !stream.archived ? [stream] : [];
  });
}

interface Newcomer {
  readonly prepared: PreparedAccount;
  readonly role: number;
  readonly streams: readonly DirectoryStream[];
  /** Base URL of the organization; null: the new account gets no notices and no mail. */
  readonly origin: string | null;
}

interface AddedAccount {
  readonly user: DirectoryUser;
  readonly state: RealmState;
  readonly parts: Record<string, ReturnType<typeof encodeRecord>>;
  readonly events: readonly LogItem[];
  readonly commands: readonly (readonly OutboxCommand[])[];
}

/**
 * Adds an account. The cost does not depend on the number of accounts: a new account has no subscriptions and no event
 * queues, so no lists of subscribers are read and no events are made for the newcomer.
 */
export function addAccount(view: RealmView, of: Newcomer, { now, realm, version }: CommandContext): AddedAccount {
  const { state, parts, volatile } = view;
  const { account, history } = of.prepared;
  const id = state.nextUser;
  const defaults = userDefaultsRecord(parts);
  // The visibility of the address is a field of the account, so it is left out of the settings.
  const { email_address_visibility: _, ...settings } = defaults;
  const user = newUserRecord({
    id,
    recipient: state.nextRecipient,
    account,
    role: of.role,
    now,
    hidden: emailVisibilityOfNewUser(defaults, id, mailDomainOfOrigin(of.origin ?? ''), volatile),
  });
  volatile.addUser(id, user.email, user.deliveryEmail);
  const preferences =
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
    parts: { [`${USER_PART_PREFIX}${id}`]: encodeRecord(user), ...preferences?.parts },
    events: [...userAddedItems(user, state.settings, now, version), ...(preferences ? [preferences.change] : [])],
    commands: [
      [createUserCommand(realm, id, account, version, first)],
      joins,
      of.origin === null ? [] : welcomeCommands(view, user, of.origin, realm, version),
    ],
  };
}
