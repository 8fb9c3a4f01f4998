/** Permissions as groups: the system groups whose members have what the policies of the base level allow. */
import type { JsonObject } from '#base';
import { SYSTEM_GROUP_IDS, systemGroupIdOfPolicy, systemGroupIdOfPostPolicy } from '#domain/people';
import type { ApiChange } from '../change.js';
import { inEveryChannelObject } from '../channel-objects.js';

const POLICY_OF_DELETING_OWN_MESSAGES = 'delete_own_message_policy';

export const GROUP_DELETING_ANY_MESSAGE: ApiChange = {
  since: 281,
  summary: 'The state has `realm_can_delete_any_message_group`: administrators.',
  addedState: {
    realm_delete_own_message_policy: { realm_can_delete_any_message_group: SYSTEM_GROUP_IDS.administrators },
  },
};

/** The policy stays beside the group: clients that don't read the group need it. */
export const GROUP_DELETING_OWN_MESSAGES: ApiChange = {
  since: 291,
  summary: 'The state, and events of the policy, have `realm_can_delete_own_message_group`.',
  addedState: {
    realm_delete_own_message_policy: (policy) => ({
      realm_can_delete_own_message_group: systemGroupIdOfPolicy(policy as number),
    }),
  },
  events: {
    realm: (event) =>
      event.op === 'update' && event.property === POLICY_OF_DELETING_OWN_MESSAGES
        ? {
            type: 'realm',
            op: 'update_dict',
            property: 'default',
            data: {
              [POLICY_OF_DELETING_OWN_MESSAGES]: event.value!,
              can_delete_own_message_group: systemGroupIdOfPolicy(event.value as number),
            },
          }
        : event,
  },
};

const withSendingGroup = (channel: JsonObject): JsonObject => ({
  ...channel,
  can_send_message_group: systemGroupIdOfPostPolicy(channel.stream_post_policy as number),
});

/** A change of the policy has an event of its own for the group, because an event of a stream has one property. */
export const GROUP_SENDING_TO_CHANNEL: ApiChange = {
  since: 333,
  summary: 'Streams and subscriptions have `can_send_message_group`, with an event for its changes.',
  ...inEveryChannelObject(withSendingGroup),
};
