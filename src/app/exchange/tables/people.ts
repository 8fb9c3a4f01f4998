/**
 * Accounts of an export: zerver_userprofile (people and bots), zerver_userprofile_mirrordummy,
 * zerver_userprofile_crossrealm.
 */
import type { Json, JsonObject } from '#base';
import {
  computeUserSetting,
  emailDomainOfOrigin,
  FAKE_EMAIL_DOMAIN,
  hasEmailAddressForm,
  isAsciiText,
  LAST_RESERVED_USER_ID,
  NEW_HUMAN_MEMBER_DEFAULTS,
  readUserSetting,
  SYSTEM_BOT_IDS_BY_EMAIL,
  toCheckedFullName,
  toEmailAddressWithAsciiDomain,
} from '#domain/people';
import { canonicalizeTimeZone, toStreamId, toUserId, type UserId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';
import { ExportFormatError } from '../format/problem.js';
import type { CheckedExportRow } from '../format/row.js';
import type { ImportedOrganizationDraft } from '../import/draft.js';
import {
  ADMINS_EMAIL_VISIBILITY_NUMBER,
  EMAIL_VISIBILITY_COLUMN,
  EVERYBODY_EMAIL_VISIBILITY_NUMBER,
  emailVisibilityOfRow,
  FORMAT_USER_SETTING_NAMES,
  makeUserSettingColumns,
  NEWER_USER_SETTING_NAMES,
  readNonDefaultUserSettings,
} from './realm.js';

const VALID_ROLE_NUMBERS: ReadonlySet<number> = new Set([100, 200, 300, 400, 600]);
const OWNER_ROLE_NUMBER = 100;

/**
 * Assigns the ids of accounts, in the order of their rows. System bots get the ids of this server's system bots, and
 * only their rows name their recipients.
 */
export function assignImportedUserIds(
  rows: readonly CheckedExportRow[],
  crossRealm: readonly CheckedExportRow[],
  draft: ImportedOrganizationDraft,
): void {
  for (const row of crossRealm) {
    draft.userIdMap.addNewId(row.requiredId, systemBotIdOfExportedBot(row));
    const recipient = row.nonNegativeIntegerOr('recipient_id', undefined);
    if (recipient !== undefined) draft.recipientByExportedId.set(recipient, { kind: 'user', of: row.requiredId });
  }
  const first = LAST_RESERVED_USER_ID + 1;
  for (const [i, row] of [...rows].sort((a, b) => a.requiredId - b.requiredId).entries())
    draft.userIdMap.addNewId(row.requiredId, first + i);
  draft.nextRecipientId = first + rows.length;
}

/** Returns the system bot of this server that has the role of the export's system bot. */
function systemBotIdOfExportedBot(row: CheckedExportRow): number {
  const local = row.textOrDefault('email').split('@')[0];
  for (const [email, id] of SYSTEM_BOT_IDS_BY_EMAIL) if (email.split('@')[0] === local) return id;
  return toUserId(1);
}

/** Returns the owner of everything that has no other one. @throws ExportFormatError if no owner is active */
export function requireFirstActiveOwner(draft: ImportedOrganizationDraft): UserId {
  const owner = draft.directoryRecords.users.find(
    (user) => user.isActive && user.botType === null && user.role === OWNER_ROLE_NUMBER,
  );
  if (!owner) throw new ExportFormatError('the organization has no active owner');
  return owner.id;
}

/**
 * Sets who sees the addresses of accounts that do not say it themselves, and of new accounts. Up to level 162 the
 * organization says it; without that, replaced addresses show that the real ones were hidden.
 */
export function setDefaultEmailVisibility(
  realm: CheckedExportRow,
  accounts: readonly CheckedExportRow[],
  draft: ImportedOrganizationDraft,
): void {
  const isHidden = (row: CheckedExportRow): boolean =>
    !row.hasNonNullField(EMAIL_VISIBILITY_COLUMN) &&
    row.hasNonNullField('delivery_email') &&
    row.textOrDefault('email') !== row.textOrDefault('delivery_email');
  const assumed = accounts.some(isHidden) ? ADMINS_EMAIL_VISIBILITY_NUMBER : EVERYBODY_EMAIL_VISIBILITY_NUMBER;
  const visibility = emailVisibilityOfRow(realm, assumed, draft);
  if (visibility !== EVERYBODY_EMAIL_VISIBILITY_NUMBER)
    draft.directorySingletons.userDefaults = { email_address_visibility: visibility };
}

/**
 * Adds the accounts. `assignImportedUserIds` must be called first, because bots name their owners, and
 * `setDefaultEmailVisibility`.
 */
export function importPeopleAndBots(rows: readonly CheckedExportRow[], draft: ImportedOrganizationDraft): void {
  const known = new Set<string>();
  for (const row of rows) {
    const given = row.textOrDefault('delivery_email', row.textOrDefault('email'));
    const readable = toEmailAddressWithAsciiDomain(given);
    const email = isMadeUpAddress(row, given) ? readable.replace(/@.*/, `@${FAKE_EMAIL_DOMAIN}`) : readable;
    if (!hasEmailAddressForm(email)) {
      const advice = isAsciiText(email)
        ? ''
        : ': addresses have ASCII characters only before the @; change it there or in realm.json';
      throw row.makeRowError(`delivery_email ${JSON.stringify(given.slice(0, 60))} is no address${advice}`);
    }
    if (readable !== given) draft.adjustedRowCounts.addCount('domain of an address outside ASCII: now in punycode');
    if (known.has(email.toLowerCase()) || SYSTEM_BOT_IDS_BY_EMAIL.has(email.toLowerCase())) {
      throw row.makeRowError(`${email} is the address of another account, too`);
    }
    known.add(email.toLowerCase());
    importAccountRow(row, email, draft);
  }
}

/**
 * True for an address that an export of the public data has in place of a hidden one: the address that the API shows.
 * It has no mailbox, and accounts of this server may be shown under the same address.
 */
const isMadeUpAddress = (row: CheckedExportRow, address: string): boolean =>
  row.nonNegativeIntegerOr(EMAIL_VISIBILITY_COLUMN, EVERYBODY_EMAIL_VISIBILITY_NUMBER) !==
    EVERYBODY_EMAIL_VISIBILITY_NUMBER &&
  row.textOrDefault('email') === address &&
  address.startsWith(`user${row.requiredId}@`);

function importAccountRow(row: CheckedExportRow, email: string, draft: ImportedOrganizationDraft): void {
  const id = draft.userIdMap.requireNewId(row, 'id');
  const botType = row.booleanOrDefault('is_bot') ? row.nonNegativeIntegerOr('bot_type', 1) : null;
  const byDefault = draft.directorySingletons.userDefaults.email_address_visibility;
  const visibility = emailVisibilityOfRow(row, byDefault ?? EVERYBODY_EMAIL_VISIBILITY_NUMBER, draft);
  const hidden = visibility !== EVERYBODY_EMAIL_VISIBILITY_NUMBER && botType === null;
  const key = deriveImportedApiKey(id, draft);
  draft.apiKeyByUserId.set(id, key);
  const user: DirectoryUser = {
    ...NEW_HUMAN_MEMBER_DEFAULTS,
    id: toUserId(id),
    recipient: id,
    deliveryEmail: email,
    email: hidden ? `user${id}@${emailDomainOfOrigin(draft.facts.origin)}` : email,
    fullName: toAcceptableFullName(row.textOrDefault('full_name'), email, row.requiredId),
    role: checkedRoleOfRow(row),
    isActive: row.booleanOrDefault('is_active', true) && !row.booleanOrDefault('is_mirror_dummy'),
    isBillingAdmin: row.booleanOrDefault('is_billing_admin'),
    botType,
    botOwner:
      botType !== null && row.hasNonNullField('bot_owner')
        ? toUserId(draft.userIdMap.requireNewId(row, 'bot_owner'))
        : null,
    timezone: canonicalTimeZoneOrEmpty(row.textOrDefault('timezone')),
    avatarVersion: Math.max(1, row.nonNegativeIntegerOr('avatar_version', 1)),
    emailVisibility: hidden ? visibility : EVERYBODY_EMAIL_VISIBILITY_NUMBER,
    joined: Math.floor(row.timeSecondsOrDefault('date_joined', draft.createdMs / 1000) * 1000),
    keyHash: key.hash,
  };
  draft.directoryRecords.users.push(user);
  draft.addImportedCount(botType === null ? 'people' : 'bots');
  const settings = readNonDefaultUserSettings(row, draft.adjustedRowCounts);
  if (Object.keys(settings).length > 0) {
    draft.putRecordOfUser('personals', { user: user.id, settings, alertWords: [], muted: [] });
  }
  if (row.booleanOrDefault('long_term_idle') && row.hasNonNullField('last_active_message_id')) {
    draft.idleAccountByUserId.set(id, { since: row.requireNonNegativeInteger('last_active_message_id') });
  }
  if (botType !== null) addImportedBotRecord(row, user, draft);
}

/** Adds a bot. The streams that the bot names are looked up by `setStreamsOfImportedBots`, when streams have ids. */
function addImportedBotRecord(row: CheckedExportRow, user: DirectoryUser, draft: ImportedOrganizationDraft): void {
  draft.putRecordOfUser('bots', {
    user: user.id,
    keySealed: draft.apiKeyByUserId.get(user.id)!.sealed,
    sendingStream: null,
    eventsStream: null,
    allPublicStreams: row.booleanOrDefault('default_all_public_streams'),
    service: null,
    config: {},
  });
}

export function setStreamsOfImportedBots(rows: readonly CheckedExportRow[], draft: ImportedOrganizationDraft): void {
  for (const row of rows) {
    if (!row.booleanOrDefault('is_bot')) continue;
    const id = draft.userIdMap.requireNewId(row, 'id');
    const stream = (name: string) => {
      const found = row.hasNonNullField(name)
        ? draft.streamIdMap.findNewId(row.requireNonNegativeInteger(name))
        : undefined;
      return found === undefined || draft.directoryRecords.streams[found - 1]!.archived ? null : toStreamId(found);
    };
    draft.putRecordOfUser('bots', {
      ...draft.findRecordOfUser('bots', id)!,
      sendingStream: stream('default_sending_stream'),
      eventsStream: stream('default_events_register_stream'),
    });
  }
}

/** Imports zerver_service: the URL that an outgoing webhook bot calls. The bot gets a new token. */
export function setServiceOfImportedBot(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const id = draft.userIdMap.requireNewId(row, 'user_profile');
  const bot = draft.findRecordOfUser('bots', id);
  if (!bot) throw row.makeRowError('names an account that is no bot');
  const tokenSealed = draft.secrets.sealDeterministic(
    draft.secrets.makeApiKeyFromBytes(draft.facts.realm, draft.deriveRepeatableBytes(`token/${id}`)),
  );
  draft.putRecordOfUser('bots', {
    ...bot,
    service: {
      baseUrl: row.textOrDefault('base_url'),
      interface: row.nonNegativeIntegerOr('interface', 1),
      tokenSealed,
    },
  });
}

export function addConfigEntryToImportedBot(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const id = draft.userIdMap.requireNewId(row, 'bot_profile');
  const bot = draft.findRecordOfUser('bots', id);
  if (!bot) throw row.makeRowError('names an account that is no bot');
  draft.putRecordOfUser('bots', {
    ...bot,
    config: Object.fromEntries([...Object.entries(bot.config), [row.textOrDefault('key'), row.textOrDefault('value')]]),
  });
}

function deriveImportedApiKey(user: number, draft: ImportedOrganizationDraft) {
  const { secrets, facts } = draft;
  const key = secrets.makeApiKeyFromBytes(facts.realm, draft.deriveRepeatableBytes(`key/${user}`));
  return { hash: secrets.hashApiKeyOrToken(key), sealed: secrets.sealDeterministic(key) };
}

function checkedRoleOfRow(row: CheckedExportRow): number {
  const role = row.nonNegativeIntegerOr('role', 400);
  if (!VALID_ROLE_NUMBERS.has(role)) throw row.makeRowError(`${role} is no role`);
  return role;
}

/**
 * Returns a full name in a form that this server accepts; characters that it doesn't accept are removed. A name that is
 * too short then gets the beginning of the address, or the id in the export.
 */
export function toAcceptableFullName(given: string, email: string, exportedId: number): string {
  try {
    return toCheckedFullName(given);
  } catch {
    const plain = given
      .replace(/[\p{C}*`\\>"@]/gu, '')
      .replace(/\|\d+$/, '')
      .trim();
    const name = [...(plain.length < 2 ? `${plain} ${email.split('@')[0]}`.trim() : plain)].slice(0, 100).join('');
    return name.length < 2 ? `user ${exportedId}` : name;
  }
}

/** Results for names of time zones: Intl takes 0.3 ms for one, and each account has one. */
const canonicalTimeZoneByName = new Map<string, string>();

function canonicalTimeZoneOrEmpty(name: string): string {
  let canonical = canonicalTimeZoneByName.get(name);
  if (canonical === undefined) {
    try {
      canonical = canonicalizeTimeZone(name);
    } catch {
      canonical = '';
    }
    canonicalTimeZoneByName.set(name, canonical);
  }
  return canonical;
}

interface AccountRowSource {
  readonly directory: DirectoryView;
  /** Time of the last log-in, seconds since 1970. */
  readonly lastLogin?: number | null;
}

/** Makes the row of zerver_userprofile. */
export function makeAccountRow(user: DirectoryUser, { directory }: AccountRowSource): JsonObject {
  const bot = directory.bot(user.id);
  const { settings } = directory.preferencesOf(user.id);
  return {
    id: user.id,
    ...makeUserSettingColumns(FORMAT_USER_SETTING_NAMES, (name) => computeUserSetting(user, settings, name)),
    delivery_email: user.deliveryEmail,
    email: user.email,
    realm: 1,
    recipient: user.recipient,
    full_name: user.fullName,
    date_joined: user.joined / 1000,
    last_login: null,
    tos_version: null,
    is_active: user.isActive,
    is_mirror_dummy: false,
    is_staff: false,
    is_superuser: false,
    is_billing_admin: user.isBillingAdmin,
    is_bot: user.botType !== null,
    bot_type: user.botType,
    bot_owner: user.botOwner,
    role: user.role,
    long_term_idle: false,
    last_active_message_id: null,
    can_forge_sender: false,
    can_create_users: false,
    last_reminder: null,
    rate_limits: '',
    default_sending_stream: bot?.sendingStream ?? null,
    default_events_register_stream: bot?.eventsStream ?? null,
    default_all_public_streams: bot?.allPublicStreams ?? false,
    timezone: user.timezone,
    avatar_source: user.avatarSource,
    avatar_version: user.avatarVersion,
    avatar_hash: null,
    email_address_visibility: user.emailVisibility,
    tutorial_status: 'F',
    onboarding_steps: '[]',
    zoom_token: null,
    groups: [],
    user_permissions: [],
  };
}

/** Makes the row of conclave_usersettings: the user's settings that the format does not have. */
export const makeNewerUserSettingsRow = (id: number, user: DirectoryUser, directory: DirectoryView): JsonObject => ({
  id,
  user_profile: user.id,
  ...makeUserSettingColumns(NEWER_USER_SETTING_NAMES, (name) => readUserSetting(directory, user, name)),
});

/** Makes the rows of zerver_userprofile_crossrealm, with the e-mail addresses that other servers know. */
export const makeSystemBotRows = (): JsonObject[] =>
  [...SYSTEM_BOT_IDS_BY_EMAIL].map(
    ([email, id]): JsonObject => ({
      id,
      email: email.replace(FAKE_EMAIL_DOMAIN, 'zulip.com'),
      recipient_id: id as Json,
    }),
  );

export const makeBotServiceRows = (directory: DirectoryView): JsonObject[] =>
  [...directory.bots()].flatMap(({ user, service }, i) =>
    service
      ? [
          {
            id: i + 1,
            name: 'service',
            user_profile: user,
            base_url: service.baseUrl,
            interface: service.interface,
            token: '',
          },
        ]
      : [],
  );

export const makeBotConfigRows = (directory: DirectoryView): JsonObject[] =>
  [...directory.bots()]
    .flatMap(({ user, config }) => Object.entries(config).map(([key, value]) => ({ bot_profile: user, key, value })))
    .map((row, i) => ({ id: i + 1, ...row }));
