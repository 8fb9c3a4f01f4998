import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Snapshot } from '../../contract/index.js';
import type { PeopleState, Person } from './people.js';
import type { RealmState } from './realm.js';
import type { StateSlice } from './slice.js';

export type UserSettings = Snapshot['user_settings'];

/** Roles. A smaller number has more rights. */
export const ROLE = { owner: 100, admin: 200, moderator: 300, member: 400, guest: 600 } as const;

const DAY_MS = 24 * 3_600_000;

/**
 * The signed-in user.
 *
 *     me.id                                        0 for a visitor without an account
 *     me.ownPerson.value                           as in `people`
 *     me.settings.value.twenty_four_hour_time      own settings under the names of the API
 *     me.isAllowedByPolicyNamed('invite_to_stream_policy')   a policy of the organization, applied to the user's role
 */
export class MeState implements StateSlice {
  readonly userIdSignal = signal(0);
  readonly settings = signal<UserSettings>({} as UserSettings);
  readonly ownPerson: ReadonlySignal<Person | undefined> = computed(() =>
    this.people.byId.value.get(this.userIdSignal.value),
  );

  constructor(
    private readonly people: PeopleState,
    private readonly realm: RealmState,
    private readonly now: () => number,
  ) {}

  get id(): number {
    return this.userIdSignal.value;
  }

  /** A visitor counts as a guest. */
  get role(): number {
    return this.ownPerson.value?.role ?? ROLE.guest;
  }

  get isAdmin(): boolean {
    return this.role <= ROLE.admin;
  }

  get isGuest(): boolean {
    return this.role === ROLE.guest;
  }

  loadFromSnapshot(snapshot: Snapshot): void {
    this.userIdSignal.value = snapshot.user_id ?? 0;
    this.settings.value = snapshot.user_settings;
  }

  makeSnapshotFields(): Partial<Snapshot> {
    return { user_id: this.userIdSignal.peek(), user_settings: this.settings.peek() };
  }

  /** @param policy name of an organization's setting with a policy value, without `realm_` */
  isAllowedByPolicyNamed(policy: string): boolean {
    const fields: Readonly<Record<string, unknown>> = { ...this.realm.value };
    return this.isAllowedByPolicyValue(Number(fields[`realm_${policy}`] ?? 0));
  }

  /** Policy values: 5 everyone, 1 members, 3 full members, 4 moderators, 2 administrators, 7 owners, 6 nobody. */
  isAllowedByPolicyValue(policy: number): boolean {
    const { role } = this;
    if (policy === 6 || this.id === 0) return false;
    if (policy === 5) return true;
    if (policy === 7) return role === ROLE.owner;
    if (policy === 2) return role <= ROLE.admin;
    if (policy === 4) return role <= ROLE.moderator;
    if (role === ROLE.guest) return false;
    return policy === 1 || this.isFullMember;
  }

  /** Whether the account is as old as the organization requires of full members. */
  get isFullMember(): boolean {
    if (this.role <= ROLE.moderator) return true;
    if (this.role === ROLE.guest) return false;
    const days = Math.floor((this.now() - Date.parse(this.ownPerson.value?.date_joined ?? '')) / DAY_MS);
    return days >= (this.realm.value.realm_waiting_period_threshold ?? 0);
  }
}
