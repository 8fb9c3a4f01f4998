/**
 * New accounts of people, by POST /users, an invitation or a sign-up: prepare (hashing, keys), check (users.md
 * § POST /users), and add to the organization.
 */

import type { Json } from '#base';
import { findNewUserHistoryBounds, type NewUserHistoryBounds } from '#domain/messages';
import {
  domainOfEmailAddress,
  type EmailAddressRefusalReason,
  emailDomainOfOrigin,
  findEmailDomainPolicyProblem,
  hasEmailAddressForm,
  toCheckedFullName,
  USER_ROLE,
} from '#domain/people';
import { compareByName } from '#domain/streams';
import { hasTwentyFourHourClock, type LogItem, type RealmId, streamActorKey, USER_SETTING_DECLARATIONS } from '#model';
import { makeOutboxCommand, type NewRealmOwnerAccount, type OutboxCommand, streamActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import { makeInvitationDeletionsForAddress, makeInvitationsChangedEvent } from '../../invitations.js';
import {
  encodeDirectoryRecord,
  findStreamRecord,
  type RealmActorState,
  readEmailDomainRecords,
  readNewUserSettingDefaultsRecord,
  USER_PART_PREFIX,
} from '../../state.js';
import type { RealmActorView } from '../command.js';
import { makeStoredPreferencesChanges } from '../preferences/preferences.js';
import { canSignInByPassword } from './password-reset.js';
import { makeUserAddedLogItems } from './person-events.js';
import { computeHiddenEmailFieldsOfNewUser, makeCreateUserCommand, makeNewUserRecord } from './user-record.js';
import { makeWelcomeCommands } from './welcome.js';

interface NewAccountApplicant {
  readonly email: string;
  readonly fullName: string;
  /** Hash of the password; null if the account has none, because its user signs in by other means. */
  readonly password: string | null;
  /** Streams that the newcomer will probably be subscribed to. */
  readonly streams: readonly DirectoryStream[];
}

/** Inputs that a handler can't compute: hashing a password is slow, API keys are random, checks read other data. */
export interface NewAccountInputs {
  readonly account: NewRealmOwnerAccount;
  readonly isPasswordStrong: boolean;
  readonly isDisposableAddress: boolean;
  /** Old messages that the newcomer gets as copies; undefined: none. */
  readonly copiedHistory: NewUserHistoryBounds | undefined;
}

/** True for a stream whose recent messages newcomers get: every public stream. */
const isPublicStream = (stream: DirectoryStream): boolean => !stream.inviteOnly;

export async function prepareNewAccount(
  { email, fullName, password, streams }: NewAccountApplicant,
  realm: RealmId,
  { store, services: { secrets, passwords, disposable, clock } }: ActorInputSources,
): Promise<NewAccountInputs> {
  const key = secrets.makeRandomApiKey(realm);
  const strong = password === null || (await passwords.isStrongEnough(password, [email, fullName]));
  const open = streams.filter(isPublicStream).map(({ id }) => id);
  return {
    isPasswordStrong: strong,
    isDisposableAddress: disposable(domainOfEmailAddress(email)),
    copiedHistory: strong ? await findNewUserHistoryBounds(store, realm, open, clock.now()) : undefined,
    account: {
      email,
      fullName: fullName.trim(),
      passwordHash: strong && password !== null ? await secrets.hashPassword(password) : null,
      keyHash: secrets.hashApiKeyOrToken(key),
      keySealed: secrets.seal(key),
    },
  };
}

const ERROR_CODE_BY_EMAIL_PROBLEM = {
  domain: 'EMAIL_NOT_ALLOWED',
  disposable: 'EMAIL_DISPOSABLE',
  plus: 'EMAIL_PLUS',
} as const;

/** Checks that the organization admits the address. @throws ApiError */
export function checkEmailAddressAdmitted(email: string, disposable: boolean, { state, parts }: RealmActorView): void {
  const problem = findEmailDomainPolicyProblem(email, state.settings, readEmailDomainRecords(parts), disposable);
  if (problem) throwEmailAddressRefusal(problem, email);
}

function throwEmailAddressRefusal(problem: EmailAddressRefusalReason, email: string): never {
  if (problem === 'domain') throw apiError('EMAIL_NOT_ALLOWED', { email });
  throw apiError(ERROR_CODE_BY_EMAIL_PROBLEM[problem] as 'EMAIL_DISPOSABLE' | 'EMAIL_PLUS');
}

/** Checks a new account in the order of users.md. @throws ApiError */
export function checkPreparedNewAccount(
  { account, isPasswordStrong, isDisposableAddress }: NewAccountInputs,
  view: RealmActorView,
): void {
  const { volatile } = view;
  const { email } = account;
  toCheckedFullName(account.fullName);
  if (!hasEmailAddressForm(email)) throw apiError('NAME_OR_USERNAME');
  checkEmailAddressAdmitted(email, isDisposableAddress, view);
  if (volatile.findUserIdByEmail(email) !== undefined) throw apiError('EMAIL_IN_USE', { email });
  if (!isPasswordStrong) throw apiError('PASSWORD_TOO_WEAK');
}

type StreamLookupView = Pick<RealmActorView, 'parts' | 'volatile'>;

/** Default streams, found by the index of streams instead of a scan of all parts. */
const listActiveDefaultStreams = ({ parts, volatile }: StreamLookupView): DirectoryStream[] =>
  [...volatile.listUnarchivedStreamIds()]
    .flatMap((id) => findStreamRecord(parts, id) ?? [])
    .filter((stream) => stream.isDefault && !stream.archived)
    .sort(compareByName);

/**
 * The streams to which a newcomer is subscribed: the named ones that still exist, or the default streams; guests get no
 * default streams.
 */
export function listFirstStreamsOfNewUser(
  of: StreamLookupView,
  named: readonly number[],
  role: number,
): DirectoryStream[] {
  if (named.length === 0) return role === USER_ROLE.guest ? [] : listActiveDefaultStreams(of);
  return named.flatMap((id) => {
    const stream = findStreamRecord(of.parts, id);
    return stream && !stream.archived ? [stream] : [];
  });
}

interface AddAccountOptions {
  readonly prepared: NewAccountInputs;
  readonly role: number;
  readonly streams: readonly DirectoryStream[];
  /** Base URL of the organization; null: the new account gets no notices and no mail. */
  readonly origin: string | null;
  /** Language of the newcomer's browser; absent: the account gets the language of the organization. */
  readonly language?: string | undefined;
}

interface AccountAdditionOutcome {
  readonly user: DirectoryUser;
  readonly state: RealmActorState;
  readonly parts: Record<string, Json>;
  readonly events: readonly LogItem[];
  readonly commands: readonly (readonly OutboxCommand[])[];
}

/**
 * Adds an account, and deletes the invitations to its address. The cost does not depend on the number of accounts: a
 * new account has no subscriptions and no event queues, so no lists of subscribers are read and no events are made for
 * the newcomer.
 */
export function addAccountToRealm(
  view: RealmActorView,
  of: AddAccountOptions,
  { now, realm, version }: CommandContext,
): AccountAdditionOutcome {
  const { state, parts, volatile } = view;
  const { account, copiedHistory } = of.prepared;
  const id = state.nextUser;
  const defaults = readNewUserSettingDefaultsRecord(parts);
  const { language = state.settings.default_language } = of;
  // The visibility of the address is a field of the account, so it is left out of the settings.
  const { email_address_visibility: _, ...sharedSettings } = defaults;
  const isUsualLanguage = language === USER_SETTING_DECLARATIONS.default_language.default;
  const settings = isUsualLanguage
    ? sharedSettings
    : {
        ...(hasTwentyFourHourClock(language) ? { twenty_four_hour_time: true } : {}),
        ...sharedSettings,
        default_language: language,
      };
  const user = makeNewUserRecord({
    id,
    recipient: state.nextRecipient,
    account,
    role: of.role,
    now,
    hidden: computeHiddenEmailFieldsOfNewUser(defaults, id, emailDomainOfOrigin(of.origin ?? ''), volatile),
  });
  volatile.indexUserEmails(id, user.email, user.deliveryEmail);
  const preferences =
    Object.keys(settings).length === 0
      ? undefined
      : makeStoredPreferencesChanges({ user: user.id, settings, alertWords: [], muted: [] });
  const first = of.streams.map((stream) => {
    const mark = isPublicStream(stream) ? (copiedHistory?.mark ?? 0) : 0;
    return { id: stream.id, recipient: stream.recipient, mark };
  });
  const hasPassword = account.passwordHash !== null && canSignInByPassword(user, state);
  const invitationDeletions = makeInvitationDeletionsForAddress(parts, account.email, now);
  const joins = of.streams.map((stream): OutboxCommand => {
    const after = isPublicStream(stream) && copiedHistory ? { after: copiedHistory.after } : {};
    return makeOutboxCommand({
      to: streamActorKey(realm, stream.id),
      name: streamActorCommands.join,
      args: { users: [id], ...after },
      caller: 0,
      after: version,
    });
  });
  return {
    user,
    state: { ...state, nextUser: id + 1, nextRecipient: state.nextRecipient + 1 },
    parts: {
      [`${USER_PART_PREFIX}${id}`]: encodeDirectoryRecord(user),
      ...preferences?.parts,
      ...invitationDeletions,
    },
    events: [
      ...makeUserAddedLogItems(user, state.settings, now, version),
      ...(preferences ? [preferences.change] : []),
      ...(Object.keys(invitationDeletions).length > 0 ? [makeInvitationsChangedEvent(version)] : []),
    ],
    commands: [
      [makeCreateUserCommand(realm, id, account, version, first)],
      joins,
      of.origin === null ? [] : makeWelcomeCommands(view, { user, hasPassword, language }, of.origin, realm, version),
    ],
  };
}
