/** Operations of the API for streams and subscriptions (streams.md). */
import { Type } from 'typebox';
import { MAX_STREAM_DESCRIPTION_CHARACTERS } from '#domain/streams';
import { realmActorKey, userActorKey } from '#model';
import { realmActorCommands, userActorCommands } from '#model/commands';
import { type ApiCall, defineOperation, forwardCommand } from '../../operation.js';
import {
  declareBooleanParameterWithDefault,
  declareOptionalBooleanParameter,
  declareOptionalJsonParameter,
  declareRequiredTextParameter,
} from '../../parameters.js';

const streamToSubscribeSchema = Type.Object(
  {
    name: Type.String(),
    color: Type.Optional(Type.String({ check: 'hexColor' })),
    description: Type.Optional(Type.String({ maxLength: MAX_STREAM_DESCRIPTION_CHARACTERS })),
  },
  { additionalProperties: false },
);

/** Maximum of MiB of a call with streams: room for 1,000 of them, with descriptions in wide characters. */
export const MAX_STREAM_LIST_REQUEST_MIB = 4;
const streamListTextLimit = { maxCharacters: MAX_STREAM_LIST_REQUEST_MIB * 1_048_576 } as const;

export const declareStreamsToSubscribeParameter = (description: string) =>
  ({
    in: 'form',
    encoding: 'json',
    schema: Type.Array(streamToSubscribeSchema),
    description,
    ...streamListTextLimit,
  }) as const;

export const declareStreamNamesParameter = (description: string) =>
  ({ in: 'form', encoding: 'json', schema: Type.Array(Type.String()), description, ...streamListTextLimit }) as const;

export const optionalPrincipalsParameter = {
  in: 'form',
  encoding: 'json',
  schema: Type.Union([Type.Array(Type.String()), Type.Array(Type.Integer())]),
  required: false,
  default: [] as string[] | number[],
  description: 'Users, by id or API e-mail; default: the caller.',
} as const;

/** Default values of `POST /users/me/subscriptions`; among them are the permissions of new streams. */
const SUBSCRIBE_DEFAULTS = {
  authorization_errors_fatal: true,
  announce: false,
  invite_only: false,
  is_web_public: false,
  stream_post_policy: 1,
  message_retention_days: 'realm_default' as string | number,
} as const;

/** Arguments of the command that joins streams, for a call without options. */
export const makeDefaultSubscribeArguments = ({
  site,
  webPublicStreams,
}: Pick<ApiCall<unknown>, 'site' | 'webPublicStreams'>) => ({
  ...SUBSCRIBE_DEFAULTS,
  principals: [],
  history_public_to_subscribers: null,
  can_remove_subscribers_group_id: null,
  server_web_public: webPublicStreams,
  origin: site,
});

export const subscribeAndCreateStreamsOperation = defineOperation({
  id: 'subscribe',
  method: 'POST',
  path: '/users/me/subscriptions',
  guard: 'non_guest',
  compressed: true,
  summary: 'Subscribe to streams, creating those that do not exist.',
  maxBodyMib: MAX_STREAM_LIST_REQUEST_MIB,
  parameters: {
    subscriptions: {
      ...declareStreamsToSubscribeParameter('Streams by name, with description and colour.'),
      required: true,
    },
    principals: optionalPrincipalsParameter,
    authorization_errors_fatal: declareBooleanParameterWithDefault(
      'form',
      SUBSCRIBE_DEFAULTS.authorization_errors_fatal,
      'Refuse everything when one stream is out of reach.',
    ),
    announce: declareBooleanParameterWithDefault(
      'form',
      SUBSCRIBE_DEFAULTS.announce,
      "Tell the organization's announcement stream of new streams.",
    ),
    invite_only: declareBooleanParameterWithDefault('form', SUBSCRIBE_DEFAULTS.invite_only, 'New streams are private.'),
    is_web_public: declareBooleanParameterWithDefault(
      'form',
      SUBSCRIBE_DEFAULTS.is_web_public,
      'New streams are open to everybody on the web.',
    ),
    history_public_to_subscribers: declareOptionalBooleanParameter(
      'form',
      'New subscribers of new private streams may read the past.',
    ),
    stream_post_policy: {
      in: 'form',
      encoding: 'json',
      schema: Type.Enum([1, 2, 3, 4]),
      required: false,
      default: SUBSCRIBE_DEFAULTS.stream_post_policy,
      description: 'Who may post to new streams: 1 everybody, 2 admins, 3 full members, 4 moderators.',
    },
    message_retention_days: {
      in: 'form',
      encoding: 'json',
      schema: Type.Union([Type.String(), Type.Integer()]),
      required: false,
      default: SUBSCRIBE_DEFAULTS.message_retention_days,
      description: "Days, 'realm_default' or 'unlimited'.",
    },
    can_remove_subscribers_group_id: declareOptionalJsonParameter(
      'form',
      Type.Integer(),
      'System group that may unsubscribe others.',
    ),
  },
  run(call) {
    const { can_remove_subscribers_group_id, history_public_to_subscribers, ...rest } = call.params;
    return forwardCommand({
      to: realmActorKey(call.realm),
      command: realmActorCommands.subscribe,
      args: {
        ...makeDefaultSubscribeArguments(call),
        ...rest,
        can_remove_subscribers_group_id: can_remove_subscribers_group_id ?? null,
        history_public_to_subscribers: history_public_to_subscribers ?? null,
      },
    });
  },
});

export const getOwnSubscriptionsOperation = defineOperation({
  id: 'get-subscriptions',
  method: 'GET',
  path: '/users/me/subscriptions',
  guard: 'user',
  summary: 'Own subscriptions.',
  parameters: {
    include_subscribers: declareBooleanParameterWithDefault('query', false, 'List the subscribers of each stream.'),
  },
  run: ({ params, realm, caller }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.subscriptions,
      args: { include_subscribers: params.include_subscribers },
    }),
});

export const getVisibleStreamsOperation = defineOperation({
  id: 'get-streams',
  method: 'GET',
  path: '/streams',
  guard: 'user',
  summary: 'Streams that the caller may see.',
  parameters: {
    include_public: declareBooleanParameterWithDefault('query', true, 'All that are not private.'),
    include_web_public: declareBooleanParameterWithDefault('query', false, 'Those open to the web.'),
    include_subscribed: declareBooleanParameterWithDefault('query', true, 'Own subscriptions.'),
    include_all_active: declareBooleanParameterWithDefault(
      'query',
      false,
      'All, also private ones; administrators only.',
    ),
    include_default: declareBooleanParameterWithDefault('query', false, 'Add is_default to each.'),
    include_owner_subscribed: declareBooleanParameterWithDefault(
      'query',
      false,
      "For bots: the owner's subscriptions.",
    ),
  },
  run: ({ params, realm, caller }) =>
    forwardCommand({ to: userActorKey(realm, caller), command: userActorCommands.streams, args: { ...params } }),
});

export const getStreamIdByNameOperation = defineOperation({
  id: 'get-stream-id',
  method: 'GET',
  path: '/get_stream_id',
  guard: 'user',
  summary: 'Id of a stream that the caller may access, from its name.',
  parameters: { stream: declareRequiredTextParameter('query', 'Name, ignoring case.') },
  async run(call) {
    const { stream } = call.params;
    if (!call.directory.streamByName(stream)) await call.refresh();
    return forwardCommand({
      to: userActorKey(call.realm, call.caller),
      command: userActorCommands.streamIdByName,
      args: { stream },
    });
  },
});
