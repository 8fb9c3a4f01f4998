/**
 * Accounts of an export: zerver_userprofile (people and bots), zerver_userprofile_mirrordummy,
 * zerver_userprofile_crossrealm.
 */
import type { Json, JsonObject } from '#base';
import {
  checkFullName,
  computeUserSetting,
  FAKE_EMAIL_DOMAIN,
  isEmail,
  LAST_RESERVED_USER_ID,
  mailDomainOfOrigin,
  NEW_ACCOUNT_DEFAULT_FIELDS,
  SYSTEM_BOT_IDS_BY_EMAIL,
} from '#domain/people';
import { canonicalizeTimeZone, toStreamId, toUserId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';
import type { ExportTableRow } from '../format/row.js';
import type { ImportedOrganizationDraft } from '../import/draft.js';
import { exportUserSettings, importUserSettings } from './realm.js';

const ROLE_NUMBERS: ReadonlySet<number> = new Set([100, 200, 300, 400, 600]);
const MIN_EMAIL_VISIBILITY = 1;
const MAX_EMAIL_VISIBILITY = 5;

/** Assigns the ids of accounts, in the order of their rows. System bots get the ids of this server's system bots. */
export function assignImportedUserIds(
  rows: readonly ExportTableRow[],
  crossRealm: readonly ExportTableRow[],
  draft: ImportedOrganizationDraft,
): void {
  for (const row of crossRealm) draft.userIds.set(row.id, systemBotOf(row));
  const first = LAST_RESERVED_USER_ID + 1;
  for (const [i, row] of [...rows].sort((a, b) => a.id - b.id).entries()) draft.userIds.set(row.id, first + i);
  draft.nextRecipient = first + rows.length;
}

/** Returns the system bot of this server that has the role of the export's system bot. */
function systemBotOf(row: ExportTableRow): number {
  const local = row.text('email').split('@')[0];
  for (const [email, id] of SYSTEM_BOT_IDS_BY_EMAIL) if (email.split('@')[0] === local) return id;
  return toUserId(1);
}

/** Adds the accounts. `assignImportedUserIds` must be called first, because bots name their owners. */
export function importPeople(rows: readonly ExportTableRow[], draft: ImportedOrganizationDraft): void {
  const known = new Set<string>();
  for (const row of rows) {
    const email = row.text('delivery_email', row.text('email'));
    if (!isEmail(email)) throw row.makeRowError(`delivery_email ${JSON.stringify(email.slice(0, 60))} is no address`);
    if (known.has(email.toLowerCase()) || SYSTEM_BOT_IDS_BY_EMAIL.has(email.toLowerCase())) {
      throw row.makeRowError(`${email} is the address of another account, too`);
    }
    known.add(email.toLowerCase());
    importAccount(row, email, draft);
  }
}

function importAccount(row: ExportTableRow, email: string, draft: ImportedOrganizationDraft): void {
  const id = draft.userIds.getOrThrow(row.id, 'zerver_userprofile');
  const botType = row.flag('is_bot') ? row.numberOr('bot_type', 1) : null;
  const visibility = row.numberOr('email_address_visibility', 1);
  const hidden = visibility > MIN_EMAIL_VISIBILITY && visibility <= MAX_EMAIL_VISIBILITY && botType === null;
  const key = makeImportedApiKey(id, draft);
  draft.apiKeysByUser.set(id, key);
  const user: DirectoryUser = {
    ...NEW_ACCOUNT_DEFAULT_FIELDS,
    id: toUserId(id),
    recipient: id,
    deliveryEmail: email,
    email: hidden ? `user${id}@${mailDomainOfOrigin(draft.facts.origin)}` : email,
    fullName: nameOf(row, email),
    role: roleOf(row),
    isActive: row.flag('is_active', true) && !row.flag('is_mirror_dummy'),
    isBillingAdmin: row.flag('is_billing_admin'),
    botType,
    botOwner:
      botType !== null && row.has('bot_owner')
        ? toUserId(draft.userIds.getOrThrow(row.number('bot_owner'), row.table))
        : null,
    timezone: timeZoneOf(row.text('timezone')),
    avatarVersion: Math.max(1, row.numberOr('avatar_version', 1)),
    emailVisibility: hidden ? visibility : 1,
    joined: Math.floor(row.timeSeconds('date_joined', draft.createdMs / 1000) * 1000),
    keyHash: key.hash,
  };
  draft.records.users.push(user);
  draft.countImportedRows(botType === null ? 'people' : 'bots');
  const settings = importUserSettings(row, draft.leftOut);
  if (Object.keys(settings).length > 0) {
    draft.records.personals.push({ user: user.id, settings, alertWords: [], muted: [] });
  }
  if (row.flag('long_term_idle') && row.has('last_active_message_id')) {
    draft.idleAccounts.set(id, { since: row.number('last_active_message_id') });
  }
  if (botType !== null) importBot(row, user, draft);
}

/** Adds a bot. The streams that the bot names are looked up by `importBotStreams`, when streams have ids. */
function importBot(row: ExportTableRow, user: DirectoryUser, draft: ImportedOrganizationDraft): void {
  draft.records.bots.push({
    user: user.id,
    keySealed: draft.apiKeysByUser.get(user.id)!.sealed,
    sendingStream: null,
    eventsStream: null,
    allPublicStreams: row.flag('default_all_public_streams'),
    service: null,
    config: {},
  });
}

export function importBotStreams(rows: readonly ExportTableRow[], draft: ImportedOrganizationDraft): void {
  for (const row of rows) {
    if (!row.flag('is_bot')) continue;
    const id = draft.userIds.getOrThrow(row.id, row.table);
    const at = draft.records.bots.findIndex(({ user }) => user === id);
    const stream = (name: string) => {
      const found = row.has(name) ? draft.streamIds.find(row.number(name)) : undefined;
      return found === undefined ? null : toStreamId(found);
    };
    draft.records.bots[at] = {
      ...draft.records.bots[at]!,
      sendingStream: stream('default_sending_stream'),
      eventsStream: stream('default_events_register_stream'),
    };
  }
}

/** Imports zerver_service: the URL that an outgoing webhook bot calls. The bot gets a new token. */
export function importBotService(row: ExportTableRow, draft: ImportedOrganizationDraft): void {
  const id = draft.userIds.getOrThrow(row.number('user_profile'), row.table);
  const at = draft.records.bots.findIndex(({ user }) => user === id);
  if (at < 0) throw row.makeRowError('names an account that is no bot');
  const tokenSealed = draft.secrets.sealDeterministic(
    draft.secrets.apiKeyFromBytes(draft.facts.realm, draft.deriveBytes(`token/${id}`)),
  );
  draft.records.bots[at] = {
    ...draft.records.bots[at]!,
    service: { baseUrl: row.text('base_url'), interface: row.numberOr('interface', 1), tokenSealed },
  };
}

export function importBotConfig(row: ExportTableRow, draft: ImportedOrganizationDraft): void {
  const id = draft.userIds.getOrThrow(row.number('bot_profile'), row.table);
  const at = draft.records.bots.findIndex(({ user }) => user === id);
  const bot = draft.records.bots[at];
  if (!bot) throw row.makeRowError('names an account that is no bot');
  draft.records.bots[at] = {
    ...bot,
    config: Object.fromEntries([...Object.entries(bot.config), [row.text('key'), row.text('value')]]),
  };
}

function makeImportedApiKey(user: number, draft: ImportedOrganizationDraft) {
  const { secrets, facts } = draft;
  const key = secrets.apiKeyFromBytes(facts.realm, draft.deriveBytes(`key/${user}`));
  return { hash: secrets.apiKeyHash(key), sealed: secrets.sealDeterministic(key) };
}

function roleOf(row: ExportTableRow): number {
  const role = row.numberOr('role', 400);
  if (!ROLE_NUMBERS.has(role)) throw row.makeRowError(`${role} is no role`);
  return role;
}

/** Returns the full name in a form that this server accepts; characters that it doesn't accept are removed. */
function nameOf(row: ExportTableRow, email: string): string {
  const given = row.text('full_name');
  try {
    return checkFullName(given);
  } catch {
    const plain = given
      .replace(/[\p{C}*`\\>"@]/gu, '')
      .replace(/\|\d+$/, '')
      .trim();
    const name = [...(plain.length < 2 ? `${plain} ${email.split('@')[0]}`.trim() : plain)].slice(0, 100).join('');
    return name.length < 2 ? `user ${row.id}` : name;
  }
}

function timeZoneOf(name: string): string {
  try {
    return canonicalizeTimeZone(name);
  } catch {
    return '';
  }
}

interface AccountExportSource {
  readonly directory: DirectoryView;
  /** Time of the last log-in, seconds since 1970. */
  readonly lastLogin?: number | null;
}

/** Makes the row of zerver_userprofile. */
export function exportAccount(user: DirectoryUser, { directory }: AccountExportSource): JsonObject {
  const bot = directory.bot(user.id);
  const { settings } = directory.preferencesOf(user.id);
  return {
    id: user.id,
    ...exportUserSettings((name) => computeUserSetting(user, settings, name)),
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

/** Makes the rows of zerver_userprofile_crossrealm, with the e-mail addresses that other servers know. */
export const exportSystemBots = (): JsonObject[] =>
  [...SYSTEM_BOT_IDS_BY_EMAIL].map(
    ([email, id]): JsonObject => ({
      id,
      email: email.replace(FAKE_EMAIL_DOMAIN, 'zulip.com'),
      recipient_id: id as Json,
    }),
  );

export const exportBotServices = (directory: DirectoryView): JsonObject[] =>
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

export const exportBotConfig = (directory: DirectoryView): JsonObject[] =>
  [...directory.bots()]
    .flatMap(({ user, config }) => Object.entries(config).map(([key, value]) => ({ bot_profile: user, key, value })))
    .map((row, i) => ({ id: i + 1, ...row }));
