import { signal } from '@preact/signals-core';
import type { Snapshot } from '../../contract/index.js';
import type { StateSlice } from './slice.js';

/** Fields of the snapshot that other slices hold. */
const FIELDS_OF_OTHER_SLICES = new Set([
  'result',
  'msg',
  'queue_id',
  'last_event_id',
  'realm_users',
  'realm_non_active_users',
  'cross_realm_bots',
  'presences',
  'user_status',
  'realm_user_groups',
  'subscriptions',
  'unsubscribed',
  'never_subscribed',
  'unread_msgs',
  'recent_private_conversations',
  'user_topics',
  'muted_users',
  'muted_topics',
  'starred_messages',
  'drafts',
  // A signal of its own, since each message changes it.
  'max_message_id',
  'scheduled_messages',
  'user_settings',
  'realm_emoji',
  // Facts about the user, which follow from the user's role and the settings: see MeState.
  'user_id',
  'email',
  'delivery_email',
  'full_name',
  'is_owner',
  'is_admin',
  'is_moderator',
  'is_guest',
  'is_billing_admin',
  'can_create_streams',
  'can_create_public_streams',
  'can_create_private_streams',
  'can_create_web_public_streams',
  'can_subscribe_other_users',
  'can_invite_others_to_realm',
]);

/**
 * Everything about the organization and the server that has no slice of its own, under the names of the API:
 * `realm.value.realm_name`, `.realm_icon_url`, `.max_message_length`, `.realm_linkifiers`, `.custom_profile_fields`, …
 */
export class RealmState implements StateSlice {
  readonly fields = signal<Snapshot>({} as Snapshot);
  /** Id of the newest message that the user can see; 0 if there is none. */
  readonly newestMessageId = signal(0);

  get value(): Snapshot {
    return this.fields.value;
  }

  loadFromSnapshot(snapshot: Snapshot): void {
    const own = Object.entries(snapshot).filter(([name]) => !FIELDS_OF_OTHER_SLICES.has(name));
    this.fields.value = Object.assign({} as Snapshot, Object.fromEntries(own));
    this.newestMessageId.value = snapshot.max_message_id ?? 0;
  }

  makeSnapshotFields(): Partial<Snapshot> {
    return { ...this.fields.peek(), max_message_id: this.newestMessageId.peek() };
  }

  /** Notes that a message has come. Views of `fields` don't render for it. */
  noteMessage(id: number): void {
    this.newestMessageId.value = Math.max(id, this.newestMessageId.peek());
  }

  /** Puts fields under their names in the snapshot. */
  mergeFields(fields: Readonly<Record<string, unknown>>): void {
    this.fields.value = { ...this.fields.peek(), ...fields };
  }
}
