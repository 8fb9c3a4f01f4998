/**
 * One event of the log, held once per host and referenced by every queue in which it waits. Each variant is encoded
 * once, and equal variants share one byte array, so a fan-out carries the bytes once.
 */
import type { JsonObject } from '#base';
import { type ClientNeutralMessage, formatMessageForClientVariant, listKnownFlagsInApiOrder } from '#domain/messages';
import { withPronounsAsShortText } from '#domain/people';
import type { EventLogItem, LogItem, MessageLogItem } from '#model';

/** The form in which a client wants its events, from its registration. */
export interface ClientEventFormat {
  readonly applyMarkdown: boolean;
  readonly clientGravatar: boolean;
  readonly includeSubscribers: boolean;
  readonly notificationNull: boolean;
  readonly pronouns: boolean;
  readonly slimPresence: boolean;
}

const textEncoder = new TextEncoder();

export class SharedClientEvent {
  readonly #encodedByVariant = new Map<string, Uint8Array>();

  constructor(
    readonly id: number,
    readonly item: MessageLogItem | EventLogItem,
  ) {}

  get type(): string {
    return this.item.t === 'message' ? 'message' : (this.item.event.type as string);
  }

  /**
   * True for an event that queues receive even if their snapshot contains its commit. Applied again, together with the
   * later changes of flags, the event changes nothing.
   *
   * A queue needs such an event if the snapshot left a message out because the user had left the message's stream: the
   * event of the message itself comes later, with the flags that the message had when it was sent.
   */
  get isDeliveredDespiteSnapshot(): boolean {
    return this.type === 'update_message_flags';
  }

  /**
   * Bytes of the event as JSON for one client.
   *
   * @param queue id of the recipient's queue; the queue from which a message was sent gets the message's local id back
   */
  encode(shape: ClientEventFormat, user: number, queue: string): Uint8Array {
    const { item } = this;
    const local = item.t === 'message' && item.local?.queue === queue ? item.local.id : undefined;
    const key = this.#clientVariantKey(shape, user);
    const known = local === undefined ? this.#encodedByVariant.get(key) : undefined;
    if (known) return known;
    const event = item.t === 'message' ? this.#shapeMessageEvent(item, shape, user) : shapeEventForClient(item, shape);
    const bytes = textEncoder.encode(
      JSON.stringify({ ...event, ...(local === undefined ? {} : { local_message_id: local }), id: this.id }),
    );
    if (local === undefined) this.#encodedByVariant.set(key, bytes);
    return bytes;
  }

  #clientVariantKey(shape: ClientEventFormat, user: number): string {
    const { item } = this;
    if (item.t === 'message') {
      const flags = item.flags[user];
      return `${shape.applyMarkdown ? 'h' : 'm'}${shape.clientGravatar ? 'g' : ''}${flags ? flags.join() : ''}`;
    }
    if (item.event.type === 'custom_profile_fields') return shape.pronouns ? 'p' : '';
    if (item.event.type === 'presence') return shape.slimPresence ? 'l' : '';
    if (item.event.type !== 'subscription') return '';
    return `${shape.includeSubscribers ? 's' : ''}${shape.notificationNull ? 'n' : ''}`;
  }

  #shapeMessageEvent(item: MessageLogItem, shape: ClientEventFormat, user: number): JsonObject {
    return {
      type: 'message',
      message: formatMessageForClientVariant(item.message as unknown as ClientNeutralMessage, shape),
      flags: listKnownFlagsInApiOrder([...(item.flags[user] ?? []), ...(item.wildcard ? ['wildcard_mentioned'] : [])]),
    };
  }
}

/** An event that is in no log entry (a user is typing). Each queue gives it another id; the rest is encoded once. */
export class TransientClientEvent {
  readonly #jsonStart: string;
  readonly #slimPresenceJsonStart: string;

  constructor(readonly item: EventLogItem) {
    const start = (event: JsonObject): string => `${JSON.stringify(event).slice(0, -1)},"id":`;
    this.#jsonStart = start(item.event);
    this.#slimPresenceJsonStart =
      item.event.type === 'presence' ? start(withoutEmailField(item.event)) : this.#jsonStart;
  }

  get type(): string {
    return this.item.event.type as string;
  }

  encodeWithId(id: number, { slimPresence }: Pick<ClientEventFormat, 'slimPresence'>): Uint8Array {
    return textEncoder.encode(`${slimPresence ? this.#slimPresenceJsonStart : this.#jsonStart}${id}}`);
  }
}

const withoutEmailField = ({ email: _, ...event }: JsonObject): JsonObject => event;

const NOTIFICATION_FIELDS = ['desktop', 'audible', 'push', 'email'] as const;

/** Changes an event's content as the client's capabilities demand (events.md). */
function shapeEventForClient(item: EventLogItem, shape: ClientEventFormat): JsonObject {
  const { event } = item;
  if (event.type === 'custom_profile_fields' && !shape.pronouns) {
    return { ...event, fields: withPronounsAsShortText(event.fields as readonly { readonly type: number }[]) };
  }
  if (event.type === 'presence') return shape.slimPresence ? withoutEmailField(event) : event;
  if (event.type !== 'subscription' || event.op !== 'add') return event;
  const subscriptions = (event.subscriptions as readonly JsonObject[]).map((of) => {
    const { subscribers, ...rest } = of;
    const shaped: Record<string, unknown> = shape.includeSubscribers ? { ...of } : { ...rest };
    if (!shape.notificationNull) {
      // Clients that can't handle null get the user's global setting (register.md § Capability deltas).
      for (const kind of NOTIFICATION_FIELDS) {
        shaped[`${kind}_notifications`] ??= item.aux?.[`enable_stream_${kind}_notifications`] ?? false;
      }
    }
    return shaped as JsonObject;
  });
  return { ...event, subscriptions };
}

export const isClientEventLogItem = (item: LogItem): item is MessageLogItem | EventLogItem =>
  item.t === 'message' || item.t === 'event';
