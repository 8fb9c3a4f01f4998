/**
 * Reads all of an export but its messages. `../tables` takes the rows, in an order in which every row names only
 * objects that are known already.
 */
import type { ServerCryptography } from '#domain/secrets';
import type { BlobStorage } from '#ports/blobs';
import type { ExportFolder } from '../format/folder.js';
import { ExportFormatError } from '../format/problem.js';
import type { ExportTableRow } from '../format/row.js';
import { importEmoji, storeImportedAvatars, storeImportedEmoji, storeImportedRealmPictures } from '../tables/files.js';
import { importGroupMemberships, importUserGroups } from '../tables/groups.js';
import { ExportedReactions } from '../tables/messages.js';
import {
  assignImportedUserIds,
  importBotConfig,
  importBotService,
  importBotStreams,
  importPeople,
} from '../tables/people.js';
import {
  ImportedProfileFieldValues,
  ImportedTopicPolicies,
  importAlertWord,
  importBotStorage,
  importMutedUser,
  importProfileField,
  importUserStatus,
} from '../tables/personal.js';
import {
  importDefaultUserSettings,
  importEmailDomain,
  importLinkifier,
  importNotificationStreams,
  importPlayground,
  importRealm,
} from '../tables/realm.js';
import {
  importDefaultStream,
  importDirectGroups,
  importRecipient,
  importStreams,
  importSubscription,
} from '../tables/streams.js';
import { ImportedOrganizationDraft, type OrganizationImportFacts } from './draft.js';

const REALM_FILE_NAME = 'realm.json';
/** Tables that can be as large as the messages; they are read row by row, at their turn. */
const LARGE_TABLES: ReadonlySet<string> = new Set(['zerver_reaction', 'zerver_subscription']);
/** Tables that are not imported, with their names in the report. */
const NOT_IMPORTED_TABLE_LABELS: Readonly<Record<string, string>> = {
  zerver_realmauditlog: 'audit log',
  zerver_useractivity: 'activity of clients',
  zerver_useractivityinterval: 'times of activity',
  zerver_userhotspot: 'hints that were seen',
  zerver_userpresence: 'presence',
  zerver_realmauthenticationmethod: 'ways to log in',
};
const REQUIRED_TABLES = [
  'zerver_realm',
  'zerver_userprofile',
  'zerver_stream',
  'zerver_recipient',
  'zerver_subscription',
];

/** Rows of the small tables of realm.json, by table. */
export type ExportTables = ReadonlyMap<string, readonly ExportTableRow[]>;

export async function readExportTables(folder: ExportFolder): Promise<ExportTables> {
  if (!(await folder.has(REALM_FILE_NAME)))
    throw new ExportFormatError(`there is no ${REALM_FILE_NAME}: this is no export`);
  const tables = new Map<string, ExportTableRow[]>();
  const found = new Set<string>();
  const passedOver = (table: string): boolean => {
    found.add(table);
    return LARGE_TABLES.has(table);
  };
  for await (const batch of folder.readRowChunks(REALM_FILE_NAME, passedOver)) {
    for (const row of batch) {
      const rows = tables.get(row.table);
      if (rows) rows.push(row);
      else tables.set(row.table, [row]);
    }
  }
  for (const name of REQUIRED_TABLES)
    if (!found.has(name)) throw new ExportFormatError(`${REALM_FILE_NAME} has no table ${name}`);
  if (tables.get('zerver_realm')?.length !== 1)
    throw new ExportFormatError(`${REALM_FILE_NAME} has not exactly one organization`);
  return tables;
}

async function forEachTableRow(
  folder: ExportFolder,
  table: string,
  take: (row: ExportTableRow) => void,
): Promise<void> {
  for await (const batch of folder.readRowChunks(REALM_FILE_NAME, (name) => name !== table)) {
    for (const row of batch) take(row);
  }
}

/** Makes the draft of the organization without messages, files and pictures. */
export async function makeImportedOrganizationDraft(
  folder: ExportFolder,
  tables: ExportTables,
  facts: OrganizationImportFacts,
  secrets: ServerCryptography,
): Promise<ImportedOrganizationDraft> {
  const rows = (name: string): readonly ExportTableRow[] => tables.get(name) ?? [];
  const draft = new ImportedOrganizationDraft(facts, secrets, 1);
  const [realm] = rows('zerver_realm');
  importRealm(realm!, draft);
  for (const row of rows('zerver_client')) draft.clientNames.set(row.id, row.text('name').slice(0, 30));
  const accounts = [...rows('zerver_userprofile'), ...rows('zerver_userprofile_mirrordummy')].sort(
    (a, b) => a.id - b.id,
  );
  assignImportedUserIds(accounts, rows('zerver_userprofile_crossrealm'), draft);
  importPeople(accounts, draft);
  const owner = draft.records.users.find((user) => user.isActive && user.botType === null && user.role === 100);
  if (!owner) throw new ExportFormatError('the organization has no active owner');
  importUserGroups(rows('zerver_usergroup'), draft);
  importStreams(rows('zerver_stream'), owner.id, draft);
  importGroupMemberships(rows('zerver_usergroupmembership'), rows('zerver_groupgroupmembership'), draft);
  importNotificationStreams(realm!, draft);
  importBotStreams(accounts, draft);
  importEmoji(rows('zerver_realmemoji'), owner.id, draft);
  for (const row of rows('zerver_defaultstream')) importDefaultStream(row, draft);
  for (const row of rows('zerver_realmdomain')) importEmailDomain(row, draft);
  for (const row of rows('zerver_realmfilter')) importLinkifier(row, draft);
  for (const row of rows('zerver_realmplayground')) importPlayground(row, draft);
  for (const row of rows('zerver_realmuserdefault')) importDefaultUserSettings(row, draft);
  for (const row of rows('zerver_recipient')) importRecipient(row, draft);
  const members = new Map<number, Set<number>>();
  await forEachTableRow(folder, 'zerver_subscription', (row) => importSubscription(row, draft, members));
  importDirectGroups(rows('zerver_huddle'), members, draft);
  importPersonalTables(tables, draft);
  for (const [table, name] of Object.entries(NOT_IMPORTED_TABLE_LABELS)) {
    if (rows(table).length > 0) draft.leftOut.add(name, rows(table).length);
  }
  return draft;
}

function importPersonalTables(tables: ExportTables, draft: ImportedOrganizationDraft): void {
  const rows = (name: string): readonly ExportTableRow[] => tables.get(name) ?? [];
  for (const row of rows('zerver_alertword')) importAlertWord(row, draft);
  for (const row of rows('zerver_muteduser')) importMutedUser(row, draft);
  const policies = new ImportedTopicPolicies();
  for (const row of rows('zerver_usertopic')) policies.import(row, draft);
  policies.finish(draft);
  for (const row of rows('zerver_userstatus')) importUserStatus(row, draft);
  for (const row of rows('zerver_service')) importBotService(row, draft);
  for (const row of rows('zerver_botconfigdata')) importBotConfig(row, draft);
  for (const row of rows('zerver_botstoragedata')) importBotStorage(row, draft);
  const fields = [...rows('zerver_customprofilefield')].sort(
    (a, b) => a.numberOr('order', a.id) - b.numberOr('order', b.id),
  );
  for (const row of fields) importProfileField(row, draft);
  const values = new ImportedProfileFieldValues();
  for (const row of rows('zerver_customprofilefieldvalue')) values.import(row, draft);
  values.finish(draft);
}

/** Reads the reactions. The messages must already have their new ids. */
export async function readExportedReactions(
  folder: ExportFolder,
  draft: ImportedOrganizationDraft,
): Promise<ExportedReactions> {
  const reactions = new ExportedReactions();
  await forEachTableRow(folder, 'zerver_reaction', (row) => reactions.import(row, draft));
  return reactions;
}

/** Assigns new ids to all messages. @returns names of the message files, in their order */
export async function assignImportedMessageIds(
  folder: ExportFolder,
  draft: ImportedOrganizationDraft,
): Promise<string[]> {
  const names = await folder.listMessageFiles();
  for (const name of names) {
    for await (const batch of folder.readRowChunks(name, (table) => table !== 'zerver_message')) {
      for (const row of batch) draft.messageIds.add(row.id);
    }
  }
  return names;
}

/** Stores the pictures of people, emoji and the organization. */
export async function storeImportedPictures(
  folder: ExportFolder,
  tables: ExportTables,
  blobs: BlobStorage,
  draft: ImportedOrganizationDraft,
): Promise<void> {
  await storeImportedEmoji(tables.get('zerver_realmemoji') ?? [], folder, blobs, draft);
  await storeImportedAvatars(folder, blobs, draft);
  await storeImportedRealmPictures(folder, blobs, draft);
}
