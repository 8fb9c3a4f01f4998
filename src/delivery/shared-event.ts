/**
 * One event of the log, held once per host and referenced by every queue in which it waits. Each variant is encoded
 * once, and equal variants share one byte array, so a fan-out carries the bytes once.
 */
import type { JsonObject } from '#base';
import type { ClientContext, LevelTranslator } from '#domain/levels';
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
  /** Translation to the API level of the queue, with the facts about its client; undefined at the base level. */
  readonly levelForm: ClientLevelForm | undefined;
}

/** The form of events at an API level above the base level. */
export interface ClientLevelForm {
  readonly translator: LevelTranslator;
  readonly client: ClientContext;
  /** Text that tells this form from others, for caches. */
  readonly variantKey: string;
}

const textEncoder = new TextEncoder();

export class SharedClientEvent {
  readonly #encodedByVariant = new Map<string, Uint8Array>();
  #withoutMentionOfAll: SharedClientEvent | undefined;

  constructor(
    readonly id: number,
    readonly item: MessageLogItem | EventLogItem,
  ) {}

  get type(): string {
    return this.item.t === 'message' ? 'message' : (this.item.event.type as string);
  }

  /** The event for users without a copy of its message, whom a mention of everybody does not mention. */
  get withoutMentionOfAll(): SharedClientEvent {
    const { item } = this;
    if (item.t !== 'message' || !item.wildcard) return this;
    const { wildcard: _, ...plain } = item;
    this.#withoutMentionOfAll ??= new SharedClientEvent(this.id, plain);
    return this.#withoutMentionOfAll;
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
    const { levelForm } = shape;
    const ownKey = this.#clientVariantKey(shape, user);
    const key = levelForm ? `${levelForm.variantKey}${ownKey}` : ownKey;
    const known = local === undefined ? this.#encodedByVariant.get(key) : undefined;
    if (known) return known;
    const shaped = item.t === 'message' ? this.#shapeMessageEvent(item, shape, user) : shapeEventForClient(item, shape);
    const event = translateEventForClient(shaped, shape, item.t === 'event' ? item.aux : undefined);
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
  /** JSON starts at higher API levels, by variant. */
  #jsonStartByLevelVariant: Map<string, string> | undefined;

  constructor(readonly item: EventLogItem) {
    this.#jsonStart = encodeStartOfEventJson(item.event);
    this.#slimPresenceJsonStart =
      item.event.type === 'presence' ? encodeStartOfEventJson(withoutEmailField(item.event)) : this.#jsonStart;
  }

  get type(): string {
    return this.item.event.type as string;
  }

  encodeWithId(id: number, shape: Pick<ClientEventFormat, 'slimPresence' | 'levelForm'>): Uint8Array {
    return textEncoder.encode(`${this.#jsonStartFor(shape)}${id}}`);
  }

  #jsonStartFor(shape: Pick<ClientEventFormat, 'slimPresence' | 'levelForm'>): string {
    const { slimPresence, levelForm } = shape;
    if (!levelForm) return slimPresence ? this.#slimPresenceJsonStart : this.#jsonStart;
    const key = `${levelForm.variantKey}${slimPresence ? 'l' : ''}`;
    this.#jsonStartByLevelVariant ??= new Map();
    let start = this.#jsonStartByLevelVariant.get(key);
    if (start === undefined) {
      const { event, aux } = this.item;
      const own = slimPresence && event.type === 'presence' ? withoutEmailField(event) : event;
      start = encodeStartOfEventJson(translateEventForClient(own, shape, aux));
      this.#jsonStartByLevelVariant.set(key, start);
    }
    return start;
  }
}

/** Translates an event to the client's API level. @param aux data of the event's log item that clients don't get */
export const translateEventForClient = (
  event: JsonObject,
  { levelForm }: Pick<ClientEventFormat, 'levelForm'>,
  aux?: JsonObject,
): JsonObject => (levelForm ? levelForm.translator.translateEvent(event, levelForm.client, aux) : event);

/** JSON of an event up to its id. */
const encodeStartOfEventJson = (event: JsonObject): string => `${JSON.stringify(event).slice(0, -1)},"id":`;

const withoutEmailField = ({ email: _, ...event }: JsonObject): JsonObject => event;

/** Notification properties of a subscription, each with the user's setting that it follows while it is null. */
const SETTING_BY_NOTIFICATION_PROPERTY = Object.entries({
  desktop_notifications: 'enable_stream_desktop_notifications',
  audible_notifications: 'enable_stream_audible_notifications',
  push_notifications: 'enable_stream_push_notifications',
  email_notifications: 'enable_stream_email_notifications',
  wildcard_mentions_notify: 'wildcard_mentions_notify',
});

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
      for (const [property, setting] of SETTING_BY_NOTIFICATION_PROPERTY) {
        shaped[property] ??= item.aux?.[setting] ?? false;
      }
    }
    return shaped as JsonObject;
  });
  return { ...event, subscriptions };
}

export const isClientEventLogItem = (item: LogItem): item is MessageLogItem | EventLogItem =>
  item.t === 'message' || item.t === 'event';
