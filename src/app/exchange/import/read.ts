/**
 * Reads all of an export but its messages. `../tables` takes the rows, in an order in which every row names only
 * objects that are known already.
 */
import type { ServerCryptography } from '#domain/secrets';
import type { BlobBulkWriter } from '#ports/blobs';
import type { ExportFolder } from '../format/folder.js';
import { ExportFormatError, nameFileInFormatError } from '../format/problem.js';
import type { CheckedExportRow } from '../format/row.js';
import {
  assignEmojiIdsAndAddRecords,
  storeAvatarsAndUpdateAccounts,
  storeEmojiPicturesAndUpdateRecords,
  storeRealmPicturesAndUpdateDraft,
} from '../tables/files.js';
import { addMembersToCustomGroups, assignGroupIdsAndAddGroups, namedGroupRows } from '../tables/groups.js';
import {
  addConfigEntryToImportedBot,
  assignImportedUserIds,
  importPeopleAndBots,
  requireFirstActiveOwner,
  setDefaultEmailVisibility,
  setServiceOfImportedBot,
  setStreamsOfImportedBots,
} from '../tables/people.js';
import {
  addImportedAlertWord,
  addImportedBotStorageEntry,
  addImportedMutedUser,
  addImportedProfileField,
  addNewerSettingsOfImportedUser,
  ImportedProfileFieldValues,
  ImportedTopicPolicies,
  setImportedUserStatus,
} from '../tables/personal.js';
import { countPermissionsOfGroup, importRealmPoliciesOfOtherVersions } from '../tables/policies.js';
import { ExportedReactions } from '../tables/reactions.js';
import {
  addImportedEmailDomain,
  addImportedLinkifier,
  addImportedPlayground,
  addImportedUserDefaults,
  importLoginMethods,
  importRealmWithoutStreamSettings,
  setNotificationStreamsOfRealm,
} from '../tables/realm.js';
import {
  addDirectGroupsWithRecipientIds,
  addExportedRecipient,
  addImportedDefaultStreamGroup,
  importAllStreams,
  importSubscriptionOrGroupMember,
  markImportedStreamAsDefault,
} from '../tables/streams.js';
import { ImportedOrganizationDraft, type OrganizationImportFacts } from './draft.js';
import type { MessageFileReader } from './message-threads.js';

export const REALM_FILE_NAME = 'realm.json';
/** Tables that can be as large as the messages; they are read row by row, at their turn. */
const SEPARATELY_READ_TABLES: ReadonlySet<string> = new Set(['zerver_reaction', 'zerver_subscription']);
/** Small tables that are imported. Others are counted in the report. */
const IMPORTED_SMALL_TABLES: ReadonlySet<string> = new Set([
  'conclave_defaultstreamgroup',
  'conclave_realmuserdefault',
  'conclave_savedsnippet',
  'conclave_submessage',
  'conclave_usersettings',
  'zerver_alertword',
  'zerver_botconfigdata',
  'zerver_botstoragedata',
  'zerver_client',
  'zerver_customprofilefield',
  'zerver_customprofilefieldvalue',
  'zerver_defaultstream',
  'zerver_groupgroupmembership',
  'zerver_huddle',
  'zerver_mutedtopic',
  'zerver_muteduser',
  'zerver_namedusergroup',
  'zerver_realm',
  'zerver_realmauthenticationmethod',
  'zerver_realmdomain',
  'zerver_realmemoji',
  'zerver_realmfilter',
  'zerver_realmplayground',
  'zerver_realmuserdefault',
  'zerver_recipient',
  'zerver_savedsnippet',
  'zerver_scheduledmessage',
  'zerver_service',
  'zerver_stream',
  'zerver_usergroup',
  'zerver_usergroupmembership',
  'zerver_userprofile',
  'zerver_userprofile_crossrealm',
  'zerver_userprofile_mirrordummy',
  'zerver_userstatus',
  'zerver_usertopic',
]);
/** Names in the report of tables that are not imported; others have the table's name. */
const LABEL_BY_NOT_IMPORTED_TABLE: ReadonlyMap<string, string> = new Map([
  ['zerver_channelfolder', 'folders of streams'],
  ['zerver_onboardingstep', 'hints that were seen'],
  ['zerver_presencesequence', 'presence'],
  ['zerver_realmexport', 'list of exports'],
  ['zerver_realmauditlog', 'audit log'],
  ['zerver_useractivity', 'activity of clients'],
  ['zerver_useractivityinterval', 'times of activity'],
  ['zerver_userhotspot', 'hints that were seen'],
  ['zerver_userpresence', 'presence'],
]);
const REQUIRED_EXPORT_TABLES = [
  'zerver_realm',
  'zerver_userprofile',
  'zerver_stream',
  'zerver_recipient',
  'zerver_subscription',
];

/** The small tables of realm.json. */
export interface SmallExportTables {
  readonly rowsByTable: ReadonlyMap<string, readonly CheckedExportRow[]>;
  /** Numbers of rows of the tables that are not imported. These tables may be as large as the messages. */
  readonly rowCountByNotImportedTable: ReadonlyMap<string, number>;
}

export async function readSmallExportTables(folder: ExportFolder): Promise<SmallExportTables> {
  if (!(await folder.hasPlainFile(REALM_FILE_NAME)))
    throw new ExportFormatError(
      `there is no ${REALM_FILE_NAME}, and no channels.json as in exports of Slack: this is no export`,
    );
  const tables = new Map<string, CheckedExportRow[]>();
  const counts = new Map<string, number>();
  const found = new Set<string>();
  const passedOver = (table: string): boolean => {
    found.add(table);
    return SEPARATELY_READ_TABLES.has(table);
  };
  for await (const batch of folder.readRowBatches(REALM_FILE_NAME, { skips: passedOver })) {
    for (const row of batch) {
      const rows = tables.get(row.table);
      if (!IMPORTED_SMALL_TABLES.has(row.table)) counts.set(row.table, (counts.get(row.table) ?? 0) + 1);
      else if (rows) rows.push(row);
      else tables.set(row.table, [row]);
    }
  }
  for (const name of REQUIRED_EXPORT_TABLES)
    if (!found.has(name)) throw new ExportFormatError(`${REALM_FILE_NAME} has no table ${name}`);
  if (tables.get('zerver_realm')?.length !== 1)
    throw new ExportFormatError(`${REALM_FILE_NAME} has not exactly one organization`);
  return { rowsByTable: tables, rowCountByNotImportedTable: counts };
}

async function forEachRowOfRealmTable(
  folder: ExportFolder,
  table: string,
  take: (row: CheckedExportRow) => void,
): Promise<void> {
  for await (const batch of folder.readRowBatches(REALM_FILE_NAME, { skips: (name) => name !== table })) {
    for (const row of batch) take(row);
  }
}

/** Makes the draft of the organization without messages, files and pictures. */
export async function buildDraftWithoutMessagesAndFiles(
  folder: ExportFolder,
  tables: SmallExportTables,
  facts: OrganizationImportFacts,
  secrets: ServerCryptography,
): Promise<ImportedOrganizationDraft> {
  const rows = (name: string): readonly CheckedExportRow[] => tables.rowsByTable.get(name) ?? [];
  const draft = new ImportedOrganizationDraft(facts, secrets, 1);
  const [realm] = rows('zerver_realm');
  importRealmWithoutStreamSettings(realm!, draft);
  importLoginMethods(rows('zerver_realmauthenticationmethod'), realm!, draft);
  for (const row of rows('zerver_client'))
    draft.clientNameByExportedId.set(row.requiredId, row.textOrDefault('name').slice(0, 30));
  const accounts = [...rows('zerver_userprofile'), ...rows('zerver_userprofile_mirrordummy')].sort(
    (a, b) => a.requiredId - b.requiredId,
  );
  assignImportedUserIds(accounts, rows('zerver_userprofile_crossrealm'), draft);
  setDefaultEmailVisibility(realm!, accounts, draft);
  importPeopleAndBots(accounts, draft);
  const owner = requireFirstActiveOwner(draft);
  const namedGroups = namedGroupRows(rows('zerver_usergroup'), rows('zerver_namedusergroup'));
  assignGroupIdsAndAddGroups(namedGroups, draft);
  for (const row of namedGroups) if (!row.booleanOrDefault('is_system_group')) countPermissionsOfGroup(row, draft);
  importAllStreams(rows('zerver_stream'), owner, draft);
  addMembersToCustomGroups(rows('zerver_usergroupmembership'), rows('zerver_groupgroupmembership'), draft);
  setNotificationStreamsOfRealm(realm!, draft);
  importRealmPoliciesOfOtherVersions(realm!, draft);
  setStreamsOfImportedBots(accounts, draft);
  assignEmojiIdsAndAddRecords(rows('zerver_realmemoji'), owner, draft);
  for (const row of rows('zerver_defaultstream')) markImportedStreamAsDefault(row, draft);
  for (const row of rows('conclave_defaultstreamgroup')) addImportedDefaultStreamGroup(row, draft);
  for (const row of rows('zerver_realmdomain')) addImportedEmailDomain(row, draft);
  const linkifiers = [...rows('zerver_realmfilter')].sort(
    (a, b) => a.nonNegativeIntegerOr('order', 0) - b.nonNegativeIntegerOr('order', 0),
  );
  for (const row of linkifiers) addImportedLinkifier(row, draft);
  for (const row of rows('zerver_realmplayground')) addImportedPlayground(row, draft);
  for (const table of ['zerver_realmuserdefault', 'conclave_realmuserdefault'])
    for (const row of rows(table)) addImportedUserDefaults(row, draft);
  for (const row of rows('zerver_recipient')) addExportedRecipient(row, draft);
  const members = new Map<number, Set<number>>();
  await forEachRowOfRealmTable(folder, 'zerver_subscription', (row) =>
    importSubscriptionOrGroupMember(row, draft, members),
  );
  addDirectGroupsWithRecipientIds(rows('zerver_huddle'), members, draft);
  importPersonalTablesIntoDraft(tables, draft);
  for (const [table, count] of tables.rowCountByNotImportedTable)
    draft.adjustedRowCounts.addCount(LABEL_BY_NOT_IMPORTED_TABLE.get(table) ?? `rows of the table ${table}`, count);
  return draft;
}

function importPersonalTablesIntoDraft(tables: SmallExportTables, draft: ImportedOrganizationDraft): void {
  const rows = (name: string): readonly CheckedExportRow[] => tables.rowsByTable.get(name) ?? [];
  for (const row of rows('conclave_usersettings')) addNewerSettingsOfImportedUser(row, draft);
  for (const row of rows('zerver_alertword')) addImportedAlertWord(row, draft);
  for (const row of rows('zerver_muteduser')) addImportedMutedUser(row, draft);
  const policies = new ImportedTopicPolicies();
  // Exports of older versions have a table of muted topics instead.
  for (const table of ['zerver_usertopic', 'zerver_mutedtopic'])
    for (const row of rows(table)) policies.addPolicyRow(row, draft);
  policies.writeWatchersToStreamParts(draft);
  for (const row of rows('zerver_userstatus')) setImportedUserStatus(row, draft);
  for (const row of rows('zerver_service')) setServiceOfImportedBot(row, draft);
  for (const row of rows('zerver_botconfigdata')) addConfigEntryToImportedBot(row, draft);
  for (const row of rows('zerver_botstoragedata')) addImportedBotStorageEntry(row, draft);
  const fields = [...rows('zerver_customprofilefield')].sort(
    (a, b) => a.nonNegativeIntegerOr('order', a.requiredId) - b.nonNegativeIntegerOr('order', b.requiredId),
  );
  for (const row of fields) addImportedProfileField(row, draft);
  const values = new ImportedProfileFieldValues();
  for (const row of rows('zerver_customprofilefieldvalue')) values.addValueRow(row, draft);
  values.writeProfilesToDraft(draft);
}

/** Reads the reactions. The messages must already have their new ids. */
export async function readExportedReactions(
  folder: ExportFolder,
  draft: ImportedOrganizationDraft,
): Promise<ExportedReactions> {
  const reactions = new ExportedReactions();
  await forEachRowOfRealmTable(folder, 'zerver_reaction', (row) => reactions.addReactionRow(row, draft));
  return reactions;
}

/** A file of messages, and the ids of its messages in the export. */
export interface MessageFileIds {
  readonly name: string;
  readonly ids: Float64Array;
}

/** Reads the ids of all messages. The reader's thread does it, while the calling one reads other tables. */
export async function readMessageIdsOfFiles(
  folder: ExportFolder,
  reader: MessageFileReader,
): Promise<readonly MessageFileIds[]> {
  const files: MessageFileIds[] = [];
  for (const name of await folder.listConsecutiveMessageFiles()) {
    try {
      const { ids } = await reader.readFile({ folder: folder.messageRoot, name, onlyIds: true });
      files.push({ name, ids });
    } catch (error) {
      throw nameFileInFormatError(error, name);
    }
  }
  return files;
}

/** Assigns new ids to all messages. @param isSorted true if old ids may be in any order */
export function assignMessageIds(
  files: readonly MessageFileIds[],
  draft: ImportedOrganizationDraft,
  isSorted: boolean,
): void {
  for (const { name, ids } of files) {
    try {
      for (const id of ids) draft.messageIdMap.assignNextNewId(id, isSorted);
    } catch (error) {
      throw nameFileInFormatError(error, name);
    }
  }
}

/**
 * Stores the pictures of people, emoji and the organization.
 * @param blobs undefined in a dry run: the pictures are only read and decoded
 */
export async function importAndStorePictures(
  folder: ExportFolder,
  tables: SmallExportTables,
  blobs: BlobBulkWriter | undefined,
  draft: ImportedOrganizationDraft,
): Promise<void> {
  await storeEmojiPicturesAndUpdateRecords(tables.rowsByTable.get('zerver_realmemoji') ?? [], folder, blobs, draft);
  await storeAvatarsAndUpdateAccounts(folder, blobs, draft);
  await storeRealmPicturesAndUpdateDraft(folder, blobs, draft);
}
