/** Parameters that describe an event queue: POST /register, and GET /events when it makes one (register.md). */
import { Type } from 'typebox';
import { type ApiLevel, BASE_API_LEVEL } from '#domain/levels';
import { MAX_NARROW_TERMS } from '#domain/messages';
import type { RegisterEventQueueArgs } from '#model/commands';
import { apiError, checkParameterItemCount, checkParameterTextLength } from '#model/errors';
import {
  declareBooleanParameterWithDefault,
  declareOptionalBooleanParameter,
  declareOptionalJsonParameter,
} from './parameters.js';

const MAX_QUEUE_LIFESPAN_SECONDS = 604_800;
const DEFAULT_QUEUE_LIFESPAN_SECONDS = 600;
/** Lifespan of the queue of a mobile client, which polls only while the user looks at it. */
const MOBILE_QUEUE_LIFESPAN_SECONDS = 43_200;
const QUEUE_NARROW_OPERATORS = new Set(['stream', 'topic', 'sender', 'is']);

const optionalBooleanSchema = Type.Optional(Type.Boolean());
const clientCapabilitiesSchema = Type.Object(
  {
    notification_settings_null: optionalBooleanSchema,
    bulk_message_deletion: optionalBooleanSchema,
    user_avatar_url_field_optional: optionalBooleanSchema,
    stream_typing_notifications: optionalBooleanSchema,
    user_settings_object: optionalBooleanSchema,
    linkifier_url_template: optionalBooleanSchema,
  },
  { additionalProperties: Type.Boolean() },
);

const stringPairsSchema = Type.Array(Type.Array(Type.String(), { minItems: 2, maxItems: 2 }));
const stringListSchema = Type.Array(Type.String());

export const declareEventQueueParameters = (where: 'query' | 'form') =>
  ({
    apply_markdown: declareBooleanParameterWithDefault(
      where,
      false,
      'Message events carry rendered HTML instead of raw text.',
    ),
    client_gravatar: declareOptionalBooleanParameter(where, 'The client computes gravatar URLs itself.'),
    include_subscribers: declareBooleanParameterWithDefault(where, false, 'Streams list their subscribers.'),
    slim_presence: declareBooleanParameterWithDefault(where, false, 'Presence is keyed by user id.'),
    event_types: declareOptionalJsonParameter(where, stringListSchema, 'Types of events to receive; absent: all.'),
    all_public_streams: declareBooleanParameterWithDefault(where, false, 'Receive the messages of all public streams.'),
    client_capabilities: declareOptionalJsonParameter(where, clientCapabilitiesSchema, 'What the client can handle.'),
    fetch_event_types: declareOptionalJsonParameter(
      where,
      stringListSchema,
      'Sections of state to send; absent: as event_types.',
    ),
    narrow: {
      in: where,
      encoding: 'json',
      schema: stringPairsSchema,
      required: false,
      default: [] as string[][],
      description: 'Only message events that match: pairs of operator and operand.',
    },
    queue_lifespan_secs: {
      in: where,
      encoding: 'json',
      schema: Type.Integer(),
      required: false,
      default: 0,
      description: 'Seconds without client activity until the queue is collected; 0 = 600; at most 604800.',
    },
    idle_queue_timeout: {
      ...declareOptionalJsonParameter(
        where,
        Type.Union([Type.Literal('mobile'), Type.Integer()]),
        "Seconds as in queue_lifespan_secs, which this parameter replaces; or 'mobile': 12 hours.",
      ),
      since: 277,
    },
  }) as const;

interface EventQueueParameterValues {
  readonly apply_markdown: boolean;
  readonly client_gravatar: boolean | undefined;
  readonly include_subscribers: boolean;
  readonly slim_presence: boolean;
  readonly event_types: string[] | undefined;
  readonly all_public_streams: boolean;
  readonly client_capabilities: Readonly<Record<string, unknown>> | undefined;
  readonly fetch_event_types: string[] | undefined;
  readonly narrow: readonly (readonly string[])[];
  readonly queue_lifespan_secs: number;
  readonly idle_queue_timeout?: 'mobile' | number | undefined;
  readonly pronouns: boolean;
}

/**
 * First version of the mobile client that knows the profile field type "pronouns" (register.md § Capability deltas).
 */
const FIRST_MOBILE_VERSION_WITH_PRONOUNS = [27, 192] as const;

/** True if the client knows profile fields of the type "pronouns", by its User-Agent. All but old mobile clients do. */
export function doesClientKnowPronounFields(userAgent: string): boolean {
  const version = /^ZulipMobile\/(\d+)(?:\.(\d+))?/.exec(userAgent);
  if (!version) return true;
  const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)];
  return (
    major > FIRST_MOBILE_VERSION_WITH_PRONOUNS[0] ||
    (major === FIRST_MOBILE_VERSION_WITH_PRONOUNS[0] && minor >= FIRST_MOBILE_VERSION_WITH_PRONOUNS[1])
  );
}

/** Maximum of event types that a queue may name; there are some 80. */
const MAX_EVENT_TYPES_PER_LIST = 500;
/**
 * Maximum of UTF-16 units of all operands of a queue's narrow together: each message is compared with all of the
 * operands.
 */
const MAX_NARROW_OPERANDS_CHARACTERS = 10_000;

/** Checks the bounds of the lists that a queue keeps and reads for each event. @throws ApiError */
function checkEventQueueListBounds({ narrow, event_types, fetch_event_types }: EventQueueParameterValues): void {
  checkParameterItemCount('narrow', narrow.length, MAX_NARROW_TERMS);
  const operands = narrow.reduce((sum, [, operand = '']) => sum + operand.length, 0);
  checkParameterTextLength('narrow', operands, MAX_NARROW_OPERANDS_CHARACTERS);
  checkParameterItemCount('event_types', event_types?.length ?? 0, MAX_EVENT_TYPES_PER_LIST);
  checkParameterItemCount('fetch_event_types', fetch_event_types?.length ?? 0, MAX_EVENT_TYPES_PER_LIST);
}

/** Returns the seconds without a sign of life of the client after which a queue is collected. @throws ApiError */
function lifespanSecondsOfEventQueue({
  queue_lifespan_secs,
  idle_queue_timeout,
}: Pick<EventQueueParameterValues, 'queue_lifespan_secs' | 'idle_queue_timeout'>): number {
  if (idle_queue_timeout === 'mobile') return MOBILE_QUEUE_LIFESPAN_SECONDS;
  for (const [name, seconds] of Object.entries({ queue_lifespan_secs, idle_queue_timeout })) {
    if ((seconds ?? 0) < 0) throw apiError('VALIDATION_FAILED', { message: `${name} is too small` });
  }
  const asked = idle_queue_timeout ?? queue_lifespan_secs;
  return Math.min(asked || DEFAULT_QUEUE_LIFESPAN_SECONDS, MAX_QUEUE_LIFESPAN_SECONDS);
}

/** Arguments of `register` that follow from the parameters of a call. */
export type EventQueueRegistrationArguments = Pick<RegisterEventQueueArgs, 'lifespanMs' | 'fetch' | 'options'>;

/** Turns the parameters of a call into arguments of a new queue. @throws ApiError */
export function checkAndMakeEventQueueArguments(
  values: EventQueueParameterValues & { readonly apiLevel: ApiLevel },
  isGuest: boolean,
  gravatarDefault: boolean,
): EventQueueRegistrationArguments {
  if (values.all_public_streams && isGuest) throw apiError('NOT_AUTHORIZED_FOR_QUERY');
  checkEventQueueListBounds(values);
  for (const [operator = ''] of values.narrow) {
    if (!QUEUE_NARROW_OPERATORS.has(operator)) throw apiError('OPERATOR_NOT_SUPPORTED', { operator });
  }
  const lifespan = lifespanSecondsOfEventQueue(values);
  const can = (name: string): boolean => values.client_capabilities?.[name] === true;
  return {
    lifespanMs: lifespan * 1000,
    fetch: values.fetch_event_types ?? values.event_types ?? null,
    options: {
      applyMarkdown: values.apply_markdown,
      clientGravatar: values.client_gravatar ?? gravatarDefault,
      slimPresence: values.slim_presence,
      includeSubscribers: values.include_subscribers,
      allPublicStreams: values.all_public_streams,
      pronouns: values.pronouns,
      ...(values.apiLevel === BASE_API_LEVEL
        ? {}
        : { apiLevel: values.apiLevel, takesEmptyTopicName: can('empty_topic_name') }),
      eventTypes: values.event_types ?? null,
      narrow: values.narrow,
      capabilities: {
        notification_settings_null: can('notification_settings_null'),
        bulk_message_deletion: can('bulk_message_deletion'),
        user_avatar_url_field_optional: can('user_avatar_url_field_optional'),
        stream_typing_notifications: can('stream_typing_notifications'),
        user_settings_object: can('user_settings_object'),
        linkifier_url_template: can('linkifier_url_template'),
      },
    },
  };
}
