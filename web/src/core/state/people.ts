import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Snapshot, User, UserGroup } from '../../contract/index.js';
import type { StateSlice } from './slice.js';

/** A user or bot. `is_system_bot` marks the bots of the server, which are no members. */
export type Person = User & { readonly is_system_bot?: boolean };

export interface Presence {
  /** Seconds since 1970; 0: never. */
  readonly active_timestamp: number;
  readonly idle_timestamp: number;
}

export interface UserStatus {
  readonly away?: boolean;
  readonly status_text?: string;
  readonly emoji_name?: string;
  readonly emoji_code?: string;
  readonly reaction_type?: string;
}

export type PresenceLevel = 'active' | 'idle' | 'offline';

const OFFLINE_AFTER_SECONDS = 200;
const IDLE_AFTER_SECONDS = 140;

type ById<T> = ReadonlyMap<number, T>;

/**
 * Users, their statuses and presence, and groups.
 *
 *     people.byId.value.get(id)            a user, active or not; bots of the server, too
 *     people.activeUsersAndBots.value      by name
 *     people.getFullName(id)               empty for an unknown id
 *     people.getPresenceLevel(id)          'active' | 'idle' | 'offline'; undefined for a deactivated account
 *     people.isDeactivated(id)             whether the account was deactivated; false for an unknown id
 *     people.statusByUserId.value.get(id)  status text and emoji
 *     people.groupById.value               user groups, system groups included
 */
export class PeopleState implements StateSlice {
  readonly byId = signal<ById<Person>>(new Map());
  readonly statusByUserId = signal<ById<UserStatus>>(new Map());
  readonly presenceByUserId = signal<ById<Presence>>(new Map());
  /** Server time of the newest presence in seconds. Ages of presences are computed from it. */
  readonly presenceServerSeconds = signal(0);
  readonly groupById = signal<ById<UserGroup>>(new Map());
  #systemBots: Snapshot['cross_realm_bots'] = [];

  readonly activeUsersAndBots: ReadonlySignal<readonly Person[]> = computed(() =>
    [...this.byId.value.values()]
      .filter(({ is_active, is_system_bot }) => is_active && !is_system_bot)
      .sort((a, b) => a.full_name.localeCompare(b.full_name)),
  );

  loadFromSnapshot(snapshot: Snapshot): void {
    const people = new Map<number, Person>();
    this.#systemBots = snapshot.cross_realm_bots ?? [];
    for (const bot of this.#systemBots) {
      people.set(bot.user_id, { ...bot, email: bot.email ?? '', is_active: true, is_system_bot: true });
    }
    for (const user of snapshot.realm_non_active_users ?? []) people.set(user.user_id, { ...user, is_active: false });
    for (const user of snapshot.realm_users ?? []) people.set(user.user_id, { ...user, is_active: true });
    this.byId.value = people;
    this.statusByUserId.value = new Map(
      Object.entries(snapshot.user_status ?? {}).map(([id, status]) => [Number(id), status as UserStatus]),
    );
    this.groupById.value = new Map((snapshot.realm_user_groups ?? []).map((group) => [group.id, group]));
    const { presences = {}, server_timestamp = 0, user_id = 0, user_settings } = snapshot;
    this.replacePresences(presences, server_timestamp);
    // The user has opened a page, but its first report comes a second later.
    if (user_settings?.presence_enabled && this.getPresenceLevel(user_id) !== 'active') {
      const own = { active_timestamp: server_timestamp, idle_timestamp: server_timestamp };
      this.presenceByUserId.value = new Map(this.presenceByUserId.peek()).set(user_id, own);
    }
  }

  /** @param presences of all users by id, each with two timestamps */
  replacePresences(presences: Readonly<Record<string, object>>, time: number): void {
    this.presenceByUserId.value = new Map(
      Object.entries(presences).map(([id, of]) => {
        const { active_timestamp = 0, idle_timestamp = 0 } = of as Partial<Presence>;
        return [Number(id), { active_timestamp, idle_timestamp }];
      }),
    );
    this.presenceServerSeconds.value = time;
  }

  makeSnapshotFields(): Partial<Snapshot> {
    const all = [...this.byId.peek().values()];
    return {
      realm_users: all.filter(({ is_active, is_system_bot }) => is_active && !is_system_bot),
      realm_non_active_users: all.filter(({ is_active }) => !is_active),
      cross_realm_bots: this.#systemBots,
      user_status: Object.fromEntries(this.statusByUserId.peek()) as Snapshot['user_status'],
      presences: Object.fromEntries(this.presenceByUserId.peek()),
      server_timestamp: this.presenceServerSeconds.peek(),
      realm_user_groups: [...this.groupById.peek().values()],
    };
  }

  getFullName(id: number): string {
    return this.byId.value.get(id)?.full_name ?? '';
  }

  isDeactivated(id: number): boolean {
    return this.byId.value.get(id)?.is_active === false;
  }

  /** @returns undefined for a deactivated account, which has no presence */
  getPresenceLevel(id: number): PresenceLevel | undefined {
    if (this.isDeactivated(id)) return undefined;
    const presence = this.presenceByUserId.value.get(id);
    if (!presence) return 'offline';
    const now = this.presenceServerSeconds.value;
    if (now - presence.active_timestamp < IDLE_AFTER_SECONDS) return 'active';
    return now - Math.max(presence.idle_timestamp, presence.active_timestamp) <= OFFLINE_AFTER_SECONDS
      ? 'idle'
      : 'offline';
  }

  /** Number of people whose client is open, whether they use it at the moment or not. */
  countPeopleOnline(): number {
    return this.activeUsersAndBots.value.filter(
      ({ user_id, is_bot }) => !is_bot && this.getPresenceLevel(user_id) !== 'offline',
    ).length;
  }

  /** Whether the user is in the group, directly or by a group inside it. */
  isInGroupOrSubgroup(user: number, group: number, seen: ReadonlySet<number> = new Set()): boolean {
    const of = this.groupById.value.get(group);
    if (!of || seen.has(group)) return false;
    const inside = new Set([...seen, group]);
    return of.members.includes(user) || of.direct_subgroup_ids.some((id) => this.isInGroupOrSubgroup(user, id, inside));
  }

  changePersonIfKnown(id: number, change: Partial<Person>): void {
    const before = this.byId.peek().get(id);
    if (before) this.byId.value = new Map(this.byId.peek()).set(id, { ...before, ...change });
  }
}
