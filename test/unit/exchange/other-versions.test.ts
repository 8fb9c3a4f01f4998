/** Exports of earlier and later versions of the peer. No account gets rights that it did not have in the export. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Json } from '#base';
import { SYSTEM_GROUP_IDS } from '#domain/people';
import { ServerCryptography } from '#domain/secrets';
import { DEFAULT_REALM_SETTINGS, toRealmId } from '#model';
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

t.test('permissions of newer versions become the policy that fits, or a stricter one', async (test) => {
  const draft = await readChanged(test, (tables) => {
    tables.zerver_usergroup = [...systemGroupRows(), CREW];
    Object.assign(tables.zerver_realm![0]!, {
      can_create_public_channel_group: groupOf('administrators'),
      can_create_private_channel_group: groupOf('moderators'),
      can_invite_users_group: groupOf('nobody'),
      can_add_custom_emoji_group: groupOf('owners'),
      can_move_messages_between_topics_group: groupOf('everyone'),
      can_mention_many_users_group: groupOf('moderators'),
      direct_message_initiator_group: groupOf('everyone'),
      direct_message_permission_group: groupOf('members'),
      can_manage_all_groups: CREW.id,
      can_create_web_public_channel_group: CREW.id,
      can_access_all_users_group: groupOf('members'),
    });
    const [first, second, third] = tables.zerver_stream!;
    first!.can_send_message_group = groupOf('administrators');
    second!.can_send_message_group = groupOf('members');
    third!.stream_post_policy = 8;
  });
  test.match(draft.settings, {
    create_public_stream_policy: 2,
    create_private_stream_policy: 4,
    invite_to_realm_policy: 6,
    add_custom_emoji_policy: 2,
    edit_topic_policy: 5,
    wildcard_mention_policy: 7,
    private_message_policy: 2,
    user_group_edit_policy: 2,
    create_web_public_stream_policy: 6,
  });
  test.strictSame(
    draft.directoryRecords.streams.map(({ postPolicy }) => postPolicy),
    [2, 3, 2],
  );
  test.strictSame(leftOutOf(draft), {
    'permission of a group that is no system group: can_create_web_public_channel_group': 1,
    'permission of a group that is no system group: can_manage_all_groups': 1,
    'policy that has no equal here: add_custom_emoji_policy': 1,
    'policy that has no equal here: private_message_policy': 1,
    'policy that has no equal here: stream_post_policy': 1,
    'policy that has no equal here: user_group_edit_policy': 1,
    'unknown permission: can_access_all_users_group': 1,
    'unknown value of stream_post_policy': 1,
  });
});

t.test('restrictions of older versions, and policies with unknown numbers, stay restrictions', async (test) => {
  const { settings, directoryRecords } = await readChanged(test, (tables) => {
    Object.assign(tables.zerver_realm![0]!, {
      create_stream_policy: 3,
      invite_by_admins_only: true,
      allow_community_topic_editing: false,
      private_message_policy: 9,
    });
    const [first] = tables.zerver_stream!;
    delete first!.stream_post_policy;
    first!.is_announcement_only = true;
  });
  test.match(settings, {
    create_public_stream_policy: 3,
    create_private_stream_policy: 3,
    invite_to_realm_policy: 2,
    edit_topic_policy: 2,
    private_message_policy: 2,
  });
  test.equal(directoryRecords.streams[0]!.postPolicy, 2);
});

t.test('permissions of streams that exist here only for the organization are counted as left out', async (test) => {
  const draft = await readChanged(test, (tables) => {
    tables.zerver_usergroup = [...systemGroupRows(), CREW];
    tables.zerver_realm![0]!.can_add_subscribers_group = groupOf('moderators');
    const [first, second] = tables.zerver_stream!;
    first!.can_add_subscribers_group = groupOf('administrators');
    second!.can_add_subscribers_group = CREW.id;
    second!.can_delete_own_message_group = null;
    second!.can_administer_channel_group = groupOf('administrators');
  });
  test.equal(draft.settings.invite_to_stream_policy, 4);
  test.strictSame(leftOutOf(draft), {
    'unknown permission of a stream: can_add_subscribers_group': 2,
    'unknown permission of a stream: can_administer_channel_group': 1,
  });
});

t.test('a policy that is null or missing has its default, and an unknown number the strictest value', async (test) => {
  for (const [value, expected, counted] of [
    [null, DEFAULT_REALM_SETTINGS, 0],
    [undefined, DEFAULT_REALM_SETTINGS, 0],
    [9, { invite_to_realm_policy: 6, create_web_public_stream_policy: 6, wildcard_mention_policy: 6 }, 1],
  ] as const) {
    const names = ['invite_to_realm_policy', 'create_web_public_stream_policy', 'wildcard_mention_policy'] as const;
    const draft = await readChanged(test, (tables) => {
      const [realm] = tables.zerver_realm!;
      for (const name of names) {
        delete realm![name];
        if (value !== undefined) realm![name] = value;
      }
    });
    for (const name of names) {
      test.equal(draft.settings[name], expected[name]);
      test.equal(leftOutOf(draft)[`setting of the organization: ${name}`] ?? 0, counted);
    }
  }
});

t.test('a flag that left generic bots to administrators still does, unless a policy is given, too', async (test) => {
  for (const [flag, policy, expected] of [
    [true, undefined, 2],
    [false, undefined, 1],
    [true, 3, 3],
  ] as const) {
    const { settings } = await readChanged(test, (tables) => {
      const [realm] = tables.zerver_realm!;
      delete realm!.bot_creation_policy;
      Object.assign(realm!, { create_generic_bot_by_admins_only: flag }, policy && { bot_creation_policy: policy });
    });
    test.equal(settings.bot_creation_policy, expected);
  }
});

t.test('streams for announcements, muted topics and playgrounds come under the names of all versions', async (test) => {
  const draft = await readChanged(test, (tables) => {
    const playground = { realm: 9, name: 'Play', pygments_language: 'Python' };
    Object.assign(tables.zerver_realm![0]!, { new_stream_announcements_stream: 301, signup_announcements_stream: 302 });
    tables.zerver_usertopic = [];
    tables.zerver_mutedtopic = [{ id: 1, user_profile: 502, stream: 301, topic_name: 'Tides', date_muted: 5 }];
    tables.zerver_realmplayground = [
      { ...playground, id: 1, url_template: 'https://play.example/?code={code}' },
      { ...playground, id: 2, url_template: 'https://play.example/{code}/run' },
    ];
  });
  test.match(draft.settings, { notifications_stream_id: 1, signup_notifications_stream_id: 2 });
  test.match(
    draft.listPartsOfUser(9).filter(([name]) => name.startsWith('topic/')),
    [[/^topic/, { stream: 1, name: 'Tides', policy: 1, updated: 5 }]],
  );
  test.match(draft.directorySingletons.playgrounds, [{ urlPrefix: 'https://play.example/?code=' }]);
  test.strictSame(leftOutOf(draft), { 'playground whose URL does not end with the code': 1 });
});

t.test('the home view and the count on the icon are imported from newer versions', async (test) => {
  const newer = (web_home_view: string, desktop_icon_count_display: number) => ({
    web_home_view,
    web_escape_navigates_to_home_view: false,
    desktop_icon_count_display,
  });
  const draft = await readChanged(test, (tables) => {
    const [first, second, third, fourth] = tables.zerver_userprofile!;
    for (const row of tables.zerver_userprofile!) delete row.desktop_icon_count_display;
    Object.assign(first!, newer('all_messages', 3));
    Object.assign(second!, newer('inbox', 4));
    Object.assign(third!, newer('recent_topics', 2));
    fourth!.desktop_icon_count_display = 3;
    tables.zerver_realmuserdefault = [{ id: 1, realm: 9, ...newer('all_messages', 4) }];
  });
  const { personals } = draft.directoryRecords;
  const settings = personals.map(({ user, settings: own }) => [user, own]);
  test.match(Object.fromEntries(settings), {
    8: { default_view: 'all_messages', escape_navigates_to_default_view: false, desktop_icon_count_display: 2 },
    9: { escape_navigates_to_default_view: false, desktop_icon_count_display: 3 },
    10: { escape_navigates_to_default_view: false, desktop_icon_count_display: 2 },
    11: { desktop_icon_count_display: 3 },
  });
  const { userDefaults } = draft.directorySingletons;
  test.match(userDefaults, { default_view: 'all_messages', desktop_icon_count_display: 3 });
  test.strictSame(leftOutOf(draft), { 'setting of a user: default_view': 1 });
});

t.test('an edit history that newer versions hide stays hidden, and required topics stay required', async (test) => {
  for (const [history, topics, allow_edit_history, mandatory_topics, leftOut] of [
    [1, 2, true, false, {}],
    [2, 3, false, true, { 'policy that has no equal here: allow_edit_history': 1 }],
    [3, 3, false, true, {}],
  ] as const) {
    const draft = await readChanged(test, (tables) => {
      const [realm] = tables.zerver_realm!;
      delete realm!.allow_edit_history;
      delete realm!.mandatory_topics;
      Object.assign(realm!, { message_edit_history_visibility_policy: history, topics_policy: topics });
    });
    test.match(draft.settings, { allow_edit_history, mandatory_topics });
    test.strictSame(leftOutOf(draft), leftOut);
  }
});

t.test('linkifiers come in the order in which the former server applied them', async (test) => {
  const { directorySingletons } = await readChanged(test, (tables) => {
    const row = (id: number, pattern: string, order: number) => ({
      id,
      realm: 9,
      pattern: `${pattern}(?P<id>[0-9]+)`,
      url_template: 'https://tasks.example/{id}',
      order,
    });
    tables.zerver_realmfilter = [row(4, 'a', 2), row(5, 'b', 0), row(6, 'c', 1)];
  });
  test.match(directorySingletons.linkifiers, [{ pattern: /^b/ }, { pattern: /^c/ }, { pattern: /^a/ }]);
});

t.test('a policy for the empty topic becomes one for "(no topic)"', async (test) => {
  const draft = await readChanged(test, (tables) => {
    const common = { user_profile: 502, stream: 301, recipient: 21, last_updated: 5 };
    tables.zerver_usertopic = [{ id: 1, ...common, topic_name: '', visibility_policy: 3 }];
  });
  test.match(
    draft.listPartsOfUser(9).filter(([name]) => name.startsWith('topic/')),
    [[/^topic/, { stream: 1, name: '(no topic)', policy: 3 }]],
  );
});

t.test('permissions of user groups and profile fields are counted, because this server has none', async (test) => {
  const draft = await readChanged(test, (tables) => {
    const system = systemGroupRows().map((row) => ({ ...row, can_mention_group: groupOf('nobody') }));
    tables.zerver_usergroup = [...system, { ...CREW, can_mention_group: groupOf('moderators') }];
    const field = { realm: 9, hint: '', field_type: 1, field_data: '' };
    tables.zerver_customprofilefield = [
      { ...field, id: 1, order: 1, name: 'Desk', editable_by_user: false },
      { ...field, id: 2, order: 2, name: 'Hobby', editable_by_user: true },
    ];
    tables.zerver_customprofilefieldvalue = [];
  });
  test.strictSame(leftOutOf(draft), {
    'unknown permission of a group: can_mention_group': 1,
    'profile field that its users could not change: Desk': 1,
  });
});

t.test('rows of unknown tables are counted as left out', async (test) => {
  const draft = await readChanged(test, (tables) => {
    tables.zerver_ferry = [{ id: 1 }, { id: 2 }];
    tables.zerver_useractivity = [{ id: 1 }];
    tables.zerver_channelfolder = [{ id: 1 }];
    for (const table of ['zerver_userhotspot', 'zerver_onboardingstep']) tables[table] = [{ id: 1 }];
    tables.zerver_empty = [];
  });
  test.strictSame(leftOutOf(draft), {
    'rows of the table zerver_ferry': 2,
    'activity of clients': 1,
    'folders of streams': 1,
    'hints that were seen': 2,
  });
});
