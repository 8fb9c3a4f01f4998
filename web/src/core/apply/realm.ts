/** Events about the organization, its settings, and the user's own data. */
import type { Bot, CustomProfileField, RealmDomain } from '../../contract/index.js';
import type { Person } from '../state/people.js';
import type { ClientState } from '../state/state.js';
import { type EventAppliers, ignoreEvent } from './target.js';

const prefixKeysWithRealm = (data: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [`realm_${name}`, value]));

function replaceRealmBots(state: ClientState, change: (bots: readonly Bot[]) => readonly Bot[]): void {
  state.realm.mergeFields({ realm_bots: change(state.realm.fields.peek().realm_bots ?? []) });
}

const changeRealmBotById = (state: ClientState, id: number, change: object): void =>
  replaceRealmBots(state, (bots) => bots.map((bot) => (bot.user_id === id ? { ...bot, ...change } : bot)));

function replaceRealmDomains(
  state: ClientState,
  change: (domains: readonly RealmDomain[]) => readonly RealmDomain[],
): void {
  state.realm.mergeFields({ realm_domains: change(state.realm.fields.peek().realm_domains ?? []) });
}

/** Type of the fields whose values name one of their options. */
const SELECT_PROFILE_FIELD_TYPE = 3;

/** Values of removed fields and options are dropped with them, since no event names the values. */
function replaceProfileFieldsAndDropValues(state: ClientState, fields: readonly CustomProfileField[]): void {
  state.realm.mergeFields({ custom_profile_fields: fields });
  const known = new Map(fields.map((field) => [String(field.id), field]));
  const stays = (id: string, value: unknown): boolean => {
    const field = known.get(id);
    if (field?.type !== SELECT_PROFILE_FIELD_TYPE) return field !== undefined;
    return Object.hasOwn(JSON.parse(field.field_data ?? '{}') as object, String(value));
  };
  const people = new Map<number, Person>();
  for (const [id, person] of state.people.byId.peek()) {
    const entries = Object.entries(person.profile_data ?? {});
    const kept = entries.filter(([field, { value }]) => stays(field, value));
    people.set(id, kept.length === entries.length ? person : { ...person, profile_data: Object.fromEntries(kept) });
  }
  state.people.byId.value = people;
}

export const REALM_AND_OWN_DATA_EVENT_APPLIERS: EventAppliers<
  | 'realm/update'
  | 'realm/update_dict'
  | 'realm/deactivated'
  | 'realm_bot/add'
  | 'realm_bot/update'
  | 'realm_bot/remove'
  | 'realm_bot/delete'
  | 'realm_domains/add'
  | 'realm_domains/change'
  | 'realm_domains/remove'
  | 'realm_emoji/update'
  | 'realm_filters'
  | 'realm_linkifiers'
  | 'realm_playgrounds'
  | 'realm_export'
  | 'realm_user_settings_defaults/update'
  | 'custom_profile_fields'
  | 'restart'
  | 'heartbeat'
  | 'invites_changed'
  | 'attachment/add'
  | 'attachment/update'
  | 'attachment/remove'
  | 'alert_words'
  | 'hotspots'
  | 'has_zoom_token'
  | 'user_settings/update'
  | 'update_display_settings'
  | 'update_global_notifications'
  | 'drafts/add'
  | 'drafts/update'
  | 'drafts/remove'
  | 'scheduled_messages/add'
  | 'scheduled_messages/update'
  | 'scheduled_messages/remove'
> = {
  'realm/update': ({ state }, { property, value }) =>
    state.realm.mergeFields(prefixKeysWithRealm({ [property]: value })),
  'realm/update_dict': ({ state }, { data }) => state.realm.mergeFields(prefixKeysWithRealm(data)),
  'realm/deactivated': ignoreEvent,
  'realm_bot/add': ({ state }, { bot }) =>
    replaceRealmBots(state, (bots) =>
      [...bots.filter(({ user_id }) => user_id !== bot.user_id), bot as Bot].sort((a, b) => a.user_id - b.user_id),
    ),
  'realm_bot/update': ({ state }, { bot }) => changeRealmBotById(state, bot.user_id, bot),
  'realm_bot/remove': ({ state }, { bot }) => changeRealmBotById(state, bot.user_id, { is_active: false }),
  'realm_bot/delete': ({ state }, { bot }) =>
    replaceRealmBots(state, (bots) => bots.filter(({ user_id }) => user_id !== bot.user_id)),
  'realm_domains/add': ({ state }, { realm_domain }) =>
    replaceRealmDomains(state, (domains) => [...domains, realm_domain]),
  'realm_domains/change': ({ state }, { realm_domain: changed }) =>
    replaceRealmDomains(state, (domains) => domains.map((one) => (one.domain === changed.domain ? changed : one))),
  'realm_domains/remove': ({ state }, { domain }) =>
    replaceRealmDomains(state, (domains) => domains.filter((one) => one.domain !== domain)),
  'realm_emoji/update': ({ state }, { realm_emoji }) => {
    state.emoji.customEmojiById.value = realm_emoji;
  },
  realm_filters: ignoreEvent,
  realm_linkifiers: ({ state }, { realm_linkifiers }) => state.realm.mergeFields({ realm_linkifiers }),
  realm_playgrounds: ({ state }, { realm_playgrounds }) => state.realm.mergeFields({ realm_playgrounds }),
  realm_export: ignoreEvent,
  'realm_user_settings_defaults/update': ({ state }, { property, value }) =>
    state.realm.mergeFields({
      realm_user_settings_defaults: { ...state.realm.fields.peek().realm_user_settings_defaults, [property]: value },
    }),
  custom_profile_fields: ({ state }, { fields }) => replaceProfileFieldsAndDropValues(state, fields),
  restart: ({ state }, { service_version, service_feature_level, server_generation }) =>
    state.realm.mergeFields({ service_version, service_feature_level, server_generation }),
  heartbeat: ignoreEvent,
  // Views that list these fetch them again (`core.listenToEvents`).
  invites_changed: ignoreEvent,
  'attachment/add': ignoreEvent,
  'attachment/update': ignoreEvent,
  'attachment/remove': ignoreEvent,
  alert_words: ({ state }, { alert_words }) => state.realm.mergeFields({ alert_words }),
  hotspots: ({ state }, { hotspots }) => state.realm.mergeFields({ hotspots }),
  has_zoom_token: ({ state }, { value }) => state.realm.mergeFields({ has_zoom_token: value }),
  'user_settings/update': ({ state }, { property, value }) => {
    state.me.settings.value = { ...state.me.settings.peek(), [property]: value };
  },
  // The older forms of user_settings.
  update_display_settings: ignoreEvent,
  update_global_notifications: ignoreEvent,
  'drafts/add': ({ state }, { drafts }) => {
    const known = new Map(state.ownLists.draftsById.peek());
    for (const draft of drafts) known.set(draft.id ?? 0, { ...draft, id: draft.id ?? 0 });
    state.ownLists.draftsById.value = known;
  },
  'drafts/update': ({ state }, { draft }) => {
    const id = draft.id ?? 0;
    state.ownLists.draftsById.value = new Map(state.ownLists.draftsById.peek()).set(id, { ...draft, id });
  },
  'drafts/remove': ({ state }, { draft_id }) => {
    const drafts = new Map(state.ownLists.draftsById.peek());
    drafts.delete(draft_id);
    state.ownLists.draftsById.value = drafts;
  },
  'scheduled_messages/add': ({ state }, { scheduled_messages }) => {
    const known = new Map(state.ownLists.scheduledById.peek());
    for (const one of scheduled_messages) known.set(one.scheduled_message_id, one);
    state.ownLists.scheduledById.value = known;
  },
  'scheduled_messages/update': ({ state }, { scheduled_message: one }) => {
    state.ownLists.scheduledById.value = new Map(state.ownLists.scheduledById.peek()).set(
      one.scheduled_message_id,
      one,
    );
  },
  'scheduled_messages/remove': ({ state }, { scheduled_message_id }) => {
    const known = new Map(state.ownLists.scheduledById.peek());
    known.delete(scheduled_message_id);
    state.ownLists.scheduledById.value = known;
  },
};
