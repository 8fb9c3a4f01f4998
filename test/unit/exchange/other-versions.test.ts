/** Exports of earlier and later versions of the peer. No account gets rights that it did not have in the export. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Json } from '#base';
import { SYSTEM_GROUP_IDS } from '#domain/people';
import { ServerCryptography } from '#domain/secrets';
import { toRealmId } from '#model';
import { ExportFolder } from '../../../src/app/exchange/format/folder.js';
import type { ImportedOrganizationDraft } from '../../../src/app/exchange/import/draft.js';
import { buildDraftWithoutMessagesAndFiles, readSmallExportTables } from '../../../src/app/exchange/import/read.js';
import { makeExportedOrganization } from '../../support/exported-organization.js';

type Tables = Record<string, Record<string, Json>[]>;

/** First id of the groups of `systemGroupRows` in an export. */
const FIRST_SYSTEM_GROUP = 30;
const SYSTEM_GROUP_NAMES = Object.keys(SYSTEM_GROUP_IDS);
/** Id of a system group in an export. */
const groupOf = (name: keyof typeof SYSTEM_GROUP_IDS): number => FIRST_SYSTEM_GROUP + SYSTEM_GROUP_NAMES.indexOf(name);

/** Rows of the system groups, with names as later versions write them. */
const systemGroupRows = () =>
  SYSTEM_GROUP_NAMES.map((name, i) => ({
    id: FIRST_SYSTEM_GROUP + i,
    realm: 9,
    name: `role:${name}`,
    description: '',
    is_system_group: true,
  }));

/** A group that users made. */
const CREW = { id: 13, realm: 9, name: 'crew', description: '', is_system_group: false };

/** Imports a small organization without messages, after a change of its tables. */
async function readChanged(test: Test, change: (tables: Tables) => void): Promise<ImportedOrganizationDraft> {
  const folder = test.testdir();
  makeExportedOrganization(folder, { people: 8, streams: 3, messages: 0, seed: 3 });
  const file = join(folder, 'realm.json');
  const tables = JSON.parse(readFileSync(file, 'utf8')) as Tables;
  change(tables);
  writeFileSync(file, JSON.stringify(tables));
  const opened = new ExportFolder(folder);
  const facts = { realm: toRealmId(1), subdomain: 'team', origin: 'http://team.example', seed: 'seed', begun: 0 };
  const secrets = new ServerCryptography('a secret of the import');
  return buildDraftWithoutMessagesAndFiles(opened, await readSmallExportTables(opened), facts, secrets);
}

const leftOutOf = ({ adjustedRowCounts }: ImportedOrganizationDraft): Record<string, number> =>
  Object.fromEntries(adjustedRowCounts.countByReason);

t.test('system groups are found without @ in their names, and are no groups of users', async (test) => {
  const { directoryRecords } = await readChanged(test, (tables) => {
    tables.zerver_usergroup = [...systemGroupRows(), CREW];
    tables.zerver_usergroupmembership!.push({ id: 2, user_group: groupOf('members'), user_profile: 501 });
    tables.zerver_stream![0]!.can_remove_subscribers_group = groupOf('moderators');
  });
  test.match(directoryRecords.groups, [{ name: 'crew', members: [9] }]);
  test.equal(directoryRecords.groups.length, 1);
  test.equal(directoryRecords.streams[0]!.canRemoveGroup, SYSTEM_GROUP_IDS.moderators);
});

t.test('administrators remove subscribers where a group that users made, or an unknown one, did', async (test) => {
  const draft = await readChanged(test, (tables) => {
    tables.zerver_stream![0]!.can_remove_subscribers_group = CREW.id;
    tables.zerver_stream![1]!.can_remove_subscribers_group = 99;
  });
  test.strictSame(
    draft.directoryRecords.streams.map(({ canRemoveGroup }) => canRemoveGroup),
    Array(3).fill(SYSTEM_GROUP_IDS.administrators),
  );
  test.strictSame(leftOutOf(draft), {
    'permission of a group that is no system group: can_remove_subscribers_group': 2,
  });
});

t.test('addresses that the organization hides stay hidden, also those of new accounts', async (test) => {
  for (const [ofRealm, ofUser, email, expected] of [
    [4, undefined, 'user@made.example', 4],
    [undefined, undefined, 'user@made.example', 3],
    [9, undefined, 'user@made.example', 3],
    [undefined, undefined, undefined, undefined],
    [undefined, 2, 'user@made.example', 2],
  ] as const) {
    const { directoryRecords, directorySingletons } = await readChanged(test, (tables) => {
      if (ofRealm !== undefined) tables.zerver_realm![0]!.email_address_visibility = ofRealm;
      tables.zerver_userprofile = tables.zerver_userprofile!.map(({ email_address_visibility, ...row }) => ({
        ...row,
        ...(ofUser === undefined ? {} : { email_address_visibility: ofUser }),
        email: email ?? row.delivery_email!,
      }));
    });
    test.strictSame(
      [...new Set(directoryRecords.users.map(({ emailVisibility }) => emailVisibility))],
      [expected ?? 1],
    );
    const ofNewAccounts = ofUser === undefined ? expected : undefined;
    test.equal(directorySingletons.userDefaults.email_address_visibility, ofNewAccounts);
  }
});

t.test('groups with names in zerver_namedusergroup are imported, and those without are not', async (test) => {
  const draft = await readChanged(test, (tables) => {
    const groups = [...systemGroupRows(), CREW, { ...CREW, id: 14, name: 'former', deactivated: true }];
    tables.zerver_usergroup = [...groups.map(({ id }) => id), 15].map((id) => ({ id, realm: 9 }));
    tables.zerver_namedusergroup = groups.map(({ id, realm, ...row }) => ({ usergroup_ptr: id, ...row }));
    tables.zerver_usergroupmembership!.push({ id: 2, user_group: 15, user_profile: 501 });
    tables.zerver_groupgroupmembership = [
      { id: 1, supergroup: CREW.id, subgroup: groupOf('owners') },
      { id: 2, supergroup: 15, subgroup: CREW.id },
    ];
    tables.zerver_stream![0]!.can_remove_subscribers_group = groupOf('moderators');
  });
  const { groups, streams } = draft.directoryRecords;
  test.match(groups, [{ name: 'crew', members: [9], subgroups: [SYSTEM_GROUP_IDS.owners] }]);
  test.equal(groups.length, 1);
  test.equal(streams[0]!.canRemoveGroup, SYSTEM_GROUP_IDS.moderators);
  test.strictSame(leftOutOf(draft), { 'unknown system group, or deactivated group': 1 });
});

t.test('names of groups that are empty, too long or taken are changed, and the import goes on', async (test) => {
  const long = 'x'.repeat(101);
  const { directoryRecords } = await readChanged(test, (tables) => {
    const names = ['', 'crew', 'crew', 'Crew', long, long, '@role:owners'];
    tables.zerver_usergroup = names.map((name, i) => ({ ...CREW, id: CREW.id + i, name }));
  });
  test.strictSame(
    directoryRecords.groups.map(({ name }) => name),
    ['group 13', 'crew', 'crew (2)', 'Crew', 'x'.repeat(100), `${'x'.repeat(96)} (2)`, '@role:owners (2)'],
  );
});
