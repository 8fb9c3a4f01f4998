/**
 * Operations of the API for subscriptions of the caller and others: leaving, settings, queries (streams.md). Joining is
 * in streams.ts.
 */
import { Type } from 'typebox';
import { realmActorKey, toStreamId, userActorKey } from '#model';
import { realmActorCommands, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ApiCall, defineOperation, forwardCommand } from '../../operation.js';
import { declarePathIdParameter, declareRequiredTextParameter } from '../../parameters.js';
import {
  declareStreamNamesParameter,
  declareStreamsToSubscribeParameter,
  MAX_STREAM_LIST_REQUEST_MIB,
  makeDefaultSubscribeArguments,
  optionalPrincipalsParameter,
} from './streams.js';

export const unsubscribeFromStreamsOperation = defineOperation({
  id: 'unsubscribe',
  method: 'DELETE',
  path: '/users/me/subscriptions',
  guard: 'user',
  summary: 'Leave streams, or unsubscribe others.',
  maxBodyMib: MAX_STREAM_LIST_REQUEST_MIB,
  parameters: {
    subscriptions: { ...declareStreamNamesParameter('Streams by name.'), required: true },
    principals: optionalPrincipalsParameter,
  },
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.unsubscribe, args: { ...params } }),
});

export const subscribeAndUnsubscribeOperation = defineOperation({
  id: 'update-subscriptions',
  method: 'PATCH',
  path: '/users/me/subscriptions',
  guard: 'user',
  compressed: true,
  summary: 'Join streams and leave others, all or nothing.',
  maxBodyMib: MAX_STREAM_LIST_REQUEST_MIB,
  parameters: {
    add: { ...declareStreamsToSubscribeParameter('Streams to join.'), required: false, default: [] },
    delete: { ...declareStreamNamesParameter('Streams to leave, by name.'), required: false, default: [] as string[] },
  },
  run(call) {
    const { add, delete: gone } = call.params;
    if (add.length === 0 && gone.length === 0) throw apiError('NOTHING_TO_DO');
    return forwardCommand({
      to: realmActorKey(call.realm),
      command: realmActorCommands.updateSubscriptions,
      args: { add: { subscriptions: add, ...makeDefaultSubscribeArguments(call) }, delete: gone },
    });
  },
});

const subscriptionSettingValueSchema = Type.Union([Type.Boolean(), Type.String()]);

export const updateOwnSubscriptionSettingsOperation = defineOperation({
  id: 'update-subscription-settings',
  method: 'POST',
  path: '/users/me/subscriptions/properties',
  guard: 'user',
  summary: 'Colour, muting, pinning and notifications of own subscriptions.',
  parameters: {
    subscription_data: {
      in: 'form',
      encoding: 'json',
      schema: Type.Array(
        Type.Object({ stream_id: Type.Integer(), property: Type.String(), value: subscriptionSettingValueSchema }),
      ),
      required: true,
      description: 'Settings, applied one after the other.',
    },
  },
  run: ({ params, realm, caller }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.subscriptionSettings,
      args: {
        data: params.subscription_data.map(({ stream_id, property, value }) => ({ stream_id, property, value })),
      },
    }),
});

export const updateSubscriptionColorOperation = defineOperation({
  id: 'update-subscription-setting',
  method: 'PATCH',
  path: '/users/me/subscriptions/{stream_id}',
  guard: 'user',
  summary: 'Older form for one setting; only the colour can be set with it.',
  parameters: {
    stream_id: declarePathIdParameter('The stream.'),
    property: declareRequiredTextParameter('form', 'Name of the setting.'),
    value: declareRequiredTextParameter('form', 'Its value.'),
  },
  run: ({ params: { stream_id, property, value }, realm, caller }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.subscriptionSettings,
      args: { data: [{ stream_id, property, value }] },
    }),
});

/** Refreshes the replica if the stream is unknown: the client may have the id from another frontend. */
async function refreshUnlessStreamKnown(call: ApiCall<{ readonly stream_id: number }>): Promise<void> {
  if (!call.directory.stream(toStreamId(call.params.stream_id))) await call.refresh();
}

export const getStreamOperation = defineOperation({
  id: 'get-stream-by-id',
  method: 'GET',
  path: '/streams/{stream_id}',
  guard: 'user',
  summary: 'One stream.',
  parameters: { stream_id: declarePathIdParameter('The stream.') },
  async run(call) {
    await refreshUnlessStreamKnown(call);
    return forwardCommand({
      to: userActorKey(call.realm, call.caller),
      command: userActorCommands.streamById,
      args: { ...call.params },
    });
  },
});

export const getSubscribersOperation = defineOperation({
  id: 'get-subscribers',
  method: 'GET',
  path: '/streams/{stream_id}/members',
  guard: 'user',
  summary: 'Ids of the subscribers of a stream.',
  parameters: { stream_id: declarePathIdParameter('The stream.') },
  async run(call) {
    await refreshUnlessStreamKnown(call);
    return forwardCommand({
      to: userActorKey(call.realm, call.caller),
      command: userActorCommands.subscribersOf,
      args: { ...call.params },
    });
  },
});

export const getSubscriptionStatusOperation = defineOperation({
  id: 'get-subscription-status',
  method: 'GET',
  path: '/users/{user_id}/subscriptions/{stream_id}',
  guard: 'user',
  summary: 'Whether a user is subscribed to a stream.',
  parameters: { user_id: declarePathIdParameter('The user.'), stream_id: declarePathIdParameter('The stream.') },
  async run(call) {
    await refreshUnlessStreamKnown(call);
    return forwardCommand({
      to: userActorKey(call.realm, call.caller),
      command: userActorCommands.subscriptionStatus,
      args: { ...call.params },
    });
  },
});
