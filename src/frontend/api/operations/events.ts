/** Operations of the API for event queues: register, poll, delete (register.md, events.md). */
import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import type { JsonObject } from '#base';
import { versionFieldsOfLevel } from '#domain/levels';
import { findDefaultStreamOfBot, isGuest } from '#domain/people';
import { countFrontendHeartbeatIdsAfter, eventQueueActorKey, toEventQueueId } from '#model';
import { eventQueueActorCommands, eventQueueSidecarCommands } from '#model/commands';
import { type ApiErrorReply, apiError } from '#model/errors';
import {
  type ApiCall,
  defineOperation,
  type ForwardedCommand,
  forwardCommand,
  type PollKeepalive,
} from '../operation.js';
import {
  declareBooleanParameterWithDefault,
  declareOptionalBooleanParameter,
  declareOptionalJsonParameter,
  declareOptionalTextParameter,
  declareRequiredTextParameter,
} from '../parameters.js';
import { hasIdentityProvider } from '../providers.js';
import {
  checkAndMakeEventQueueArguments,
  declareEventQueueParameters,
  doesClientKnowPronounFields,
  type EventQueueRegistrationArguments,
} from '../queue-parameters.js';

const isCallOfGuest = (call: ApiCall<unknown>): boolean => {
  const user = call.directory.user(call.caller);
  return user !== undefined && isGuest(user);
};

/** Defaults of a bot for its queues, used where the call has no value. */
function resolveChoicesWithBotDefaults({
  params,
  directory,
  caller,
}: ApiCall<BotDefaultableQueueChoices>): BotDefaultableQueueChoices & { readonly all_public_streams: boolean } {
  const bot = directory.bot(caller);
  const stream = findDefaultStreamOfBot(bot?.eventsStream, (id) => directory.stream(id));
  const account = directory.user(caller);
  const allPublic = bot?.allPublicStreams === true && account !== undefined && !isGuest(account);
  return {
    all_public_streams: params.all_public_streams ?? allPublic,
    narrow: params.narrow.length === 0 && stream ? [['stream', stream.name]] : params.narrow,
  };
}

interface BotDefaultableQueueChoices {
  readonly all_public_streams: boolean | undefined;
  readonly narrow: string[][];
}

/** Makes the actor key and the arguments of a queue with a fresh id. */
function makeNewQueueKeyAndArgs(call: ApiCall<unknown>, args: EventQueueRegistrationArguments) {
  const queue_id = randomUUID();
  const { unverifiedBaseUrl, site, webPublicStreams } = call;
  return {
    to: eventQueueActorKey(call.realm, call.caller, toEventQueueId(queue_id)),
    args: {
      ...args,
      options:
        call.callerSessionId === undefined ? args.options : { ...args.options, withoutBotSecrets: true as const },
      queue_id,
      origin: unverifiedBaseUrl,
      site,
      webPublicStreams,
      hasSingleSignOn: hasIdentityProvider(call),
    },
  };
}

/**
 * Makes the command that gives a visitor the initial state without an event queue (register.md). The command goes to
 * the actor of a fresh key, which answers and stores nothing.
 */
function makeVisitorStateCommand(
  call: ApiCall<unknown>,
  params: Parameters<typeof checkAndMakeEventQueueArguments>[0],
): ForwardedCommand {
  if (params.client_gravatar) throw apiError('ANONYMOUS_CLIENT_GRAVATAR');
  if (params.include_subscribers) throw apiError('ANONYMOUS_INCLUDE_SUBSCRIBERS');
  const queue = makeNewQueueKeyAndArgs(call, checkAndMakeEventQueueArguments(params, true, false));
  return forwardCommand({
    ...queue,
    command: eventQueueActorCommands.visit,
    extraFields: versionFieldsOfLevel(call.apiLevel),
  });
}

export const registerEventQueueOperation = defineOperation({
  id: 'register-queue',
  method: 'POST',
  path: '/register',
  guard: 'user',
  anonymous: true,
  compressed: true,
  summary: 'Create an event queue and fetch the state that its events change.',
  headers: ['user-agent'],
  parameters: {
    ...declareEventQueueParameters('form'),
    all_public_streams: declareOptionalBooleanParameter(
      'form',
      'Receive the messages of all public streams; absent: as set for the bot.',
    ),
  },
  run(call) {
    const values = {
      ...call.params,
      ...resolveChoicesWithBotDefaults(call),
      pronouns: doesClientKnowPronounFields(call.header('user-agent')),
      apiLevel: call.apiLevel,
    };
    if (call.caller === 0) return makeVisitorStateCommand(call, values);
    const queue = makeNewQueueKeyAndArgs(call, checkAndMakeEventQueueArguments(values, isCallOfGuest(call), true));
    return forwardCommand({
      ...queue,
      command: eventQueueActorCommands.register,
      extraFields: versionFieldsOfLevel(call.apiLevel),
    });
  },
});

/**
 * Returns the actor key of the caller's event queue with this id. The key contains the caller, so queues of others
 * can't be named.
 * @throws ApiError
 */
const ownEventQueueKeyOrThrow = (call: ApiCall<unknown>, id: string) => {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw apiError('BAD_EVENT_QUEUE_ID', { queue_id: id });
  return eventQueueActorKey(call.realm, call.caller, toEventQueueId(id));
};

/** Heartbeats that the frontend sends for a waiting poll while there is no event. */
class HeartbeatKeepalive implements PollKeepalive {
  readonly parameter = 'last_event_id';

  constructor(
    private readonly queue: string,
    readonly last: number,
    readonly heartbeatIds: number,
  ) {}

  fields(n: number): string {
    return `,"events":[{"type":"heartbeat","id":${n}}],"queue_id":"${this.queue}"`;
  }

  /**
   * Answers a poll that reached the queue's next owner after a later poll, which acknowledged more events. The owner
   * refuses the older event id as pruned; the client gets an empty answer and polls again.
   */
  answerInsteadOf({ msg }: ApiErrorReply): JsonObject | undefined {
    const pruned = apiError('EVENT_PRUNED', { last_event_id: this.last });
    return msg === pruned.message ? { events: [], queue_id: this.queue } : undefined;
  }
}

export const getEventsOperation = defineOperation({
  id: 'get-events',
  method: 'GET',
  path: '/events',
  guard: 'user',
  rateLimit: 'polls',
  headers: ['user-agent'],
  summary: 'Wait for events of a queue.',
  parameters: {
    queue_id: declareOptionalTextParameter(
      'query',
      'From register; absent: a queue is made from the other parameters.',
    ),
    last_event_id: declareOptionalJsonParameter(
      'query',
      Type.Integer(),
      'Highest event id received: it and all before are acknowledged.',
    ),
    dont_block: declareBooleanParameterWithDefault('query', false, 'Answer at once, also with no events.'),
    user_client: declareOptionalTextParameter('query', 'Accepted and unused.'),
    ...declareEventQueueParameters('query'),
    lifespan_secs: {
      in: 'query',
      encoding: 'uint',
      schema: Type.Integer({ minimum: 0 }),
      required: false,
      default: 0,
      description: 'As queue_lifespan_secs.',
    },
    bulk_message_deletion: declareOptionalBooleanParameter('query', 'Client capability.'),
    stream_typing_notifications: declareOptionalBooleanParameter('query', 'Client capability.'),
    user_settings_object: declareOptionalBooleanParameter('query', 'Client capability.'),
    linkifier_url_template: declareOptionalBooleanParameter('query', 'Client capability.'),
    pronouns_field_type_supported: declareBooleanParameterWithDefault(
      'query',
      true,
      'Client capability: knows profile fields of pronouns.',
    ),
  },
  run(call) {
    const { params } = call;
    const { dont_block, queue_id, last_event_id = null } = params;
    if (queue_id !== undefined) {
      const to = ownEventQueueKeyOrThrow(call, queue_id);
      const heartbeatIds = dont_block || last_event_id === null ? 0 : countFrontendHeartbeatIdsAfter(last_event_id);
      const args = { last_event_id, dont_block, beats: heartbeatIds };
      const onShutdown = { events: [], queue_id };
      if (heartbeatIds === 0)
        return forwardCommand({ to, command: eventQueueSidecarCommands.poll, args, held: true, onShutdown });
      const keepalive = new HeartbeatKeepalive(queue_id, last_event_id!, heartbeatIds);
      return forwardCommand({ to, command: eventQueueSidecarCommands.poll, args, held: true, onShutdown, keepalive });
    }
    const bare: Record<string, boolean> = {};
    for (const name of TOP_LEVEL_CAPABILITY_PARAMETERS) if (params[name] !== undefined) bare[name] = params[name];
    const queue = makeNewQueueKeyAndArgs(
      call,
      checkAndMakeEventQueueArguments(
        {
          ...params,
          queue_lifespan_secs: params.queue_lifespan_secs || params.lifespan_secs,
          client_capabilities: { ...bare, ...params.client_capabilities },
          fetch_event_types: [],
          apiLevel: call.apiLevel,
          pronouns: params.pronouns_field_type_supported && doesClientKnowPronounFields(call.header('user-agent')),
        },
        isCallOfGuest(call),
        false,
      ),
    );
    // The queue is new, so an acknowledged id in the request has no meaning.
    const first = forwardCommand({
      to: queue.to,
      command: eventQueueSidecarCommands.poll,
      args: { last_event_id: null, dont_block, beats: 0 },
      held: true,
      onShutdown: { events: [], queue_id: queue.args.queue_id },
    });
    return forwardCommand({ ...queue, command: eventQueueActorCommands.register, held: true, followedBy: first });
  },
});

const TOP_LEVEL_CAPABILITY_PARAMETERS = [
  'bulk_message_deletion',
  'stream_typing_notifications',
  'user_settings_object',
  'linkifier_url_template',
] as const;

export const deleteEventQueueOperation = defineOperation({
  id: 'delete-queue',
  method: 'DELETE',
  path: '/events',
  guard: 'user',
  summary: 'Delete an event queue.',
  parameters: { queue_id: declareRequiredTextParameter('form', 'The queue.') },
  run: (call) =>
    forwardCommand({
      to: ownEventQueueKeyOrThrow(call, call.params.queue_id),
      command: eventQueueActorCommands.remove,
      args: {},
    }),
});
