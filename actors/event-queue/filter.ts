/** Which events a queue wants (events.md § Filtering per queue). Pure. */
import type { JsonObject } from '#base';
import type { SharedEvent } from '#delivery';
import type { NeutralMessage } from '#domain/messages';
import { seqOfId } from '#model';
import type { QueueOptions } from '#model/commands';
import { shows } from './snapshot/message-sections.js';
import type { QueueState } from './state.js';

const NOT_WITH_SETTINGS_OBJECT = new Set(['update_display_settings', 'update_global_notifications']);

export function wants(options: QueueOptions, event: Pick<SharedEvent, 'type' | 'item'>, user: number): boolean {
  const { type, item } = event;
  const { eventTypes, capabilities } = options;
  if (eventTypes !== null && !eventTypes.includes(type)) return false;
  if (item.t === 'message') {
    return (
      options.narrow.length === 0 ||
      inNarrow(options.narrow, item.message as unknown as NeutralMessage, item.flags[user] ?? [])
    );
  }
  if (item.only && capabilities[item.only.capability] !== item.only.has) return false;
  if (type === 'muted_topics' && eventTypes?.includes('user_topic')) return false;
  if (type === 'typing' && item.event.stream_id !== undefined) return capabilities.stream_typing_notifications;
  if (NOT_WITH_SETTINGS_OBJECT.has(type)) return !capabilities.user_settings_object;
  if (type === 'realm_linkifiers') return capabilities.linkifier_url_template;
  return true;
}

const same = (a: unknown, b: string): boolean => String(a).toLowerCase() === b.toLowerCase();

function inNarrow(
  narrow: readonly (readonly string[])[],
  { common }: { readonly common: JsonObject },
  flags: readonly string[],
): boolean {
  return narrow.every(([operator, operand = '']) => {
    switch (operator) {
      case 'stream':
        return common.type === 'stream' && same(common.display_recipient, operand);
      case 'topic':
        return common.type === 'stream' && same(common.subject, operand);
      case 'sender':
        return same(common.sender_email, operand);
      case 'is':
        if (operand === 'dm' || operand === 'private') return common.type === 'private';
        if (operand === 'starred') return flags.includes('starred');
        if (operand === 'unread') return !flags.includes('read');
        if (operand === 'alerted' || operand === 'mentioned') return flags.includes('mentioned');
        if (operand === 'resolved') return common.type === 'stream' && String(common.subject).startsWith('✔ ');
        return true;
      default:
        return false;
    }
  });
}

/** Why the user's clients are locked out from this event on; undefined: they are not. */
export function lockedOut({ type, item }: Pick<SharedEvent, 'type' | 'item'>, user: number): LockOut | undefined {
  if (item.t !== 'event') return undefined;
  const { op, person } = item.event as { op?: string; person?: { user_id: number } };
  if (type === 'realm' && op === 'deactivated') return 'ORGANIZATION_DEACTIVATED';
  return type === 'realm_user' && op === 'remove' && person?.user_id === user ? 'ACCOUNT_DEACTIVATED' : undefined;
}

export type LockOut = 'ORGANIZATION_DEACTIVATED' | 'ACCOUNT_DEACTIVATED';

/** The registration's answer has this message, or this change of subscribers, already. */
export function isShown({ shows: shown, listed = 0 }: QueueState, { id, type, item }: SharedEvent): boolean {
  if (item.t === 'event' && type === 'subscription' && seqOfId(id) <= listed) return isOfPeers(item.event.op);
  if (!shown || item.t !== 'message') return false;
  const { common } = item.message as unknown as NeutralMessage;
  return shows(shown, (common.stream_id as number | undefined) ?? 0, common.id as number);
}

const isOfPeers = (op: unknown): boolean => op === 'peer_add' || op === 'peer_remove';

/** Undelivered events of one key are told as one (events.md § Coalescing); undefined: this one stands alone. */
export function mergeKey({ type, item }: SharedEvent): string | undefined {
  if (type !== 'update_message_flags' || item.t !== 'event') return undefined;
  const { op, flag, all } = item.event;
  return all === true || (op === 'remove' && flag === 'read') ? undefined : `${op} ${flag}`;
}

/** Under which key the contrary of this event would be told, and of which messages. */
export function contraryOf({ type, item }: SharedEvent): { key: string; messages: readonly number[] } | undefined {
  if (type !== 'update_message_flags' || item.t !== 'event') return undefined;
  const { op, flag, messages } = item.event as { op: string; flag: string; messages: readonly number[] };
  return { key: `${op === 'add' ? 'remove' : 'add'} ${flag}`, messages };
}
