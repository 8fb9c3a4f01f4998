/** A row of REALM_SETTING_DECLARATIONS is all that a setting of an organization needs (realm.md § Settings). */
import t from 'tap';
import { realmActorKind } from '#actors/realm';
import {
  type ActorReply,
  addMissingRealmSettings,
  checkAndConvertRealmSettings,
  DEFAULT_REALM_SETTINGS,
  listKnownRealmSettings,
  makeInitialRealmSettings,
  REALM_SETTING_DECLARATIONS,
  REALM_SETTING_NAMES,
  type RealmSettings,
  type RealmSettingValue,
  realmActorKey,
  toRealmId,
} from '#model';
import type { RegistrationSnapshotInputs } from '../../../actors/event-queue/snapshot/inputs.js';
import { makeRealmSnapshotSection } from '../../../actors/event-queue/snapshot/organization-sections.js';
import { updateRealmSettingsHandler } from '../../../actors/realm/commands/organization/realm-settings.js';
import { encodeDirectoryRecord } from '../../../actors/realm/state.js';
import { RealmMemoryState } from '../../../actors/realm/volatile.js';
import { updateRealmSettingsOperation } from '../../../src/frontend/api/operations/organization/organization.js';
import type { RealmSettingName } from '../../../src/model/settings/realm-settings.js';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';

const OWNER = person(8, { role: 100 });
const ADMIN = person(9, { role: 200 });
const DICT = [
  'allow_message_editing',
  'edit_topic_policy',
  'message_content_edit_limit_seconds',
  'authentication_methods',
];
/** The stored text names the methods that are off; clients read each method. */
const PASSWORDS_OFF = { Email: false, 'OpenID Connect': true };
const KEY = realmActorKey(toRealmId(1));

/** A value that differs from the default. Zero is no value of a limit, and names no stream. */
function changedValue(name: RealmSettingName): RealmSettingValue {
  const value = DEFAULT_REALM_SETTINGS[name];
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  return name === 'authentication_methods' ? 'Email' : 'fr';
}

const one = (name: RealmSettingName, value: RealmSettingValue): Partial<RealmSettings> => ({ [name]: value });

/** The outcome of `change-realm` in an organization that has the defaults. */
function change(values: Partial<RealmSettings>, caller: number) {
  const parts = new Map([OWNER, ADMIN].map((user) => [`user/${user.id}`, encodeDirectoryRecord(user)]));
  parts.set('stream/0', { id: 0, name: 'news', archived: false });
  const state = { ...realmActorKind.makeInitialState(KEY), settings: DEFAULT_REALM_SETTINGS };
  const context = { key: KEY, realm: toRealmId(1), now: 1_000, caller, client: 'test', version: 7 };
  const view = { state, parts, volatile: new RealmMemoryState(state, parts) };
  return updateRealmSettingsHandler.handle(view, { values, hasSingleSignOn: true }, undefined, {
    ...context,
    findPendingCommands: () => [],
    directory: undefined as never,
  });
}

t.test('every row is a parameter of PATCH /realm, in the order of the table', async (t) => {
  t.same(Object.keys(updateRealmSettingsOperation.parameters), Object.keys(REALM_SETTING_DECLARATIONS));
  for (const [name, parameter] of Object.entries(updateRealmSettingsOperation.parameters)) {
    t.match(parameter, { in: 'form', required: false }, name);
  }
});

t.test('every row has a default, in new organizations and in those that are older than the row', async (t) => {
  t.same(Object.keys(DEFAULT_REALM_SETTINGS), REALM_SETTING_NAMES);
  t.equal(
    REALM_SETTING_NAMES.length,
    Object.keys(REALM_SETTING_DECLARATIONS).length - 1,
    'one parameter is not stored',
  );
  for (const name of REALM_SETTING_NAMES) {
    const { [name]: value, ...older } = DEFAULT_REALM_SETTINGS;
    t.equal(addMissingRealmSettings(older)[name], value, name);
    const state = { ...realmActorKind.makeInitialState(KEY), settings: older as RealmSettings };
    t.equal(realmActorKind.upgrade!(state).settings[name], value, `${name}, stored`);
    t.equal(directoryWith({ settings: older }).settings[name], value, `${name}, in replicas`);
    const { educationDefault } = REALM_SETTING_DECLARATIONS[name];
    if (name !== 'org_type')
      t.equal(makeInitialRealmSettings(35)[name], educationDefault ?? value, `${name}, in a school`);
  }
  t.equal(addMissingRealmSettings(DEFAULT_REALM_SETTINGS), DEFAULT_REALM_SETTINGS, 'not copied');
});

t.test('every row is stored, published and echoed when it changes', async (t) => {
  for (const name of REALM_SETTING_NAMES) {
    const value = changedValue(name);
    const { reply, state, events = [] } = change(one(name, value), OWNER.id);
    t.equal(state?.settings[name], value, name);
    const presented = name === 'authentication_methods' ? PASSWORDS_OFF : value;
    const shown = ['name', 'description', 'default_language'].includes(name) ? 'updated' : presented;
    const fields = (reply as ActorReply & { ok: readonly Uint8Array[] }).ok.map((part) => Buffer.from(part).toString());
    t.ok(fields.join('').includes(`${JSON.stringify(name)}:${JSON.stringify(shown)}`), name);
    t.match(events[0], { t: 'directory', change: { settings: { [name]: value } } }, name);
    const event = DICT.includes(name)
      ? { type: 'realm', op: 'update_dict', property: 'default', data: { [name]: presented } }
      : { type: 'realm', op: 'update', property: name, value };
    t.match(events[1], { t: 'event', to: { role: 600 }, event }, name);
  }
});

t.test('rows for owners are refused to administrators, by the frontend and by the actor', async (t) => {
  for (const [name, { ownerOnly }] of Object.entries(REALM_SETTING_DECLARATIONS)) {
    const given = { [name]: name === 'authentication_methods' ? { Email: true } : 'fr' };
    const refusal = { code: 'UNAUTHORIZED_PRINCIPAL' };
    if (ownerOnly) t.throws(() => checkAndConvertRealmSettings(given, false), refusal, name);
    if (!(REALM_SETTING_NAMES as readonly string[]).includes(name)) continue;
    const set = () => change(one(name as RealmSettingName, changedValue(name as RealmSettingName)), ADMIN.id);
    if (ownerOnly) t.throws(set, refusal, name);
    else t.doesNotThrow(set, name);
  }
});

t.test('every row is a field of POST /register', async (t) => {
  for (const name of REALM_SETTING_NAMES) {
    const directory = directoryWith({ settings: one(name, changedValue(name)) });
    const args = { origin: '', site: 'http://localhost', webPublicStreams: false, hasSingleSignOn: true };
    const section = makeRealmSnapshotSection({
      directory,
      args,
      fileUploadLimits: {},
    } as unknown as RegistrationSnapshotInputs);
    for (const field of REALM_SETTING_NAMES) {
      const value = field === name ? changedValue(name) : DEFAULT_REALM_SETTINGS[field];
      const shown = field === 'authentication_methods' ? { ...PASSWORDS_OFF, Email: value === '' } : value;
      t.same(section[`realm_${field}`], shown, field);
    }
  }
});

t.test('settings that only a newer version knows are left out', async (t) => {
  t.same(listKnownRealmSettings({ name: 'Acme', setting_of_the_future: 1, toString: 2 } as never), [['name', 'Acme']]);
});
