/**
 * POST /users/me/subscriptions/properties (streams.md), and its older form for one property: change personal settings
 * of a subscription.
 */

import { makeSuccessReply } from '#actors/shared';
import type { Json } from '#base';
import { mayAccessStream, type Subscription } from '#domain/streams';
import { type ActorParts, type LogItem, type RealmId, streamActorKey, toStreamId, toUserId } from '#model';
import {
  makeOutboxCommand,
  type OutboxCommand,
  type SubscriptionSettingChange,
  streamActorCommands,
  type userActorCommands,
} from '#model/commands';
import { ApiError, apiError, validationError } from '#model/errors';
import type { DirectoryView } from '#model/records';
import { findPresentOrFormerSubscription, SUBSCRIPTION_PART_PREFIX, type UserCommandHandler } from '../../state.js';

type SubscriptionSwitch = Exclude<keyof Subscription, 'stream' | 'active' | 'color'>;

/** The API's switches of a subscription. in_home_view is the negation of is_muted. */
const SWITCH_BY_API_PROPERTY: Readonly<Record<string, SubscriptionSwitch>> = {
  is_muted: 'muted',
  in_home_view: 'muted',
  pin_to_top: 'pinned',
  desktop_notifications: 'desktop',
  audible_notifications: 'audible',
  push_notifications: 'push',
  email_notifications: 'email',
  wildcard_mentions_notify: 'wildcard',
};

const HEX_COLOR_PATTERN = /^#[a-fA-F0-9]{3,6}$/;

/** The subscription with the setting applied. @throws ApiError */
function makeSubscriptionWithSetting(own: Subscription, { property, value }: SubscriptionSettingChange): Subscription {
  if (property === 'color') {
    if (typeof value !== 'string') throw validationError('color is not a string');
    if (!HEX_COLOR_PATTERN.test(value)) throw validationError('color is not a valid hex color code');
    return { ...own, color: value };
  }
  if (typeof value !== 'boolean') throw validationError(`${property} is not a boolean`);
  return { ...own, [SWITCH_BY_API_PROPERTY[property]!]: property === 'in_home_view' ? !value : value };
}

/** Properties and values of the events of a changed setting; muting has an event under each of its two names. */
function listPropertyUpdatesForEvents({ property, value }: SubscriptionSettingChange): [string, string | boolean][] {
  if (property !== 'is_muted' && property !== 'in_home_view') return [[property, value]];
  const muted = property === 'is_muted' ? value : !value;
  return [
    ['in_home_view', !muted],
    ['is_muted', muted],
  ];
}

/** The subscription that a setting changes. @throws ApiError */
function getSubscriptionToChangeOrThrow(
  { stream_id, property }: SubscriptionSettingChange,
  subscription: (stream: number) => Subscription | undefined,
  directory: DirectoryView,
  caller: number,
): Subscription {
  if (property !== 'color' && !Object.hasOwn(SWITCH_BY_API_PROPERTY, property)) {
    throw apiError('UNKNOWN_SUBSCRIPTION_PROPERTY', { property });
  }
  const user = directory.user(toUserId(caller));
  const stream = directory.stream(toStreamId(stream_id));
  const own = subscription(stream_id);
  if (!user || !stream || !mayAccessStream(user, stream, own?.active ?? false)) throw apiError('INVALID_STREAM_ID');
  if (!own?.active) throw apiError('NOT_SUBSCRIBED', { stream_id });
  return own;
}

const asksForNotificationOfAllMessages = ({ push, email }: Subscription): boolean => push === true || email === true;

/** Makes the commands that report to streams whether the subscription asks for mails or pushes of all messages. */
const makeSetNotifiedCommands = (
  parts: ActorParts,
  changed: Iterable<Subscription>,
  realm: RealmId,
  user: number,
): OutboxCommand[] =>
  [...changed].flatMap((own) => {
    const notified = asksForNotificationOfAllMessages(own);
    const before = findPresentOrFormerSubscription(parts, own.stream);
    if (before && asksForNotificationOfAllMessages(before) === notified) return [];
    const to = streamActorKey(realm, toStreamId(own.stream));
    return [makeOutboxCommand({ to, name: streamActorCommands.setNotified, args: { user, notified }, caller: 0 })];
  });

/** Applies settings of subscriptions one after the other; those before a refused one stay. */
export const updateSubscriptionSettingsHandler: UserCommandHandler<typeof userActorCommands.subscriptionSettings> = {
  handle({ parts }, { data }, _inputs, { directory, caller, realm }) {
    const now = new Map<number, Subscription>();
    const events: LogItem[] = [];
    const subscription = (id: number): Subscription | undefined =>
      now.get(id) ?? findPresentOrFormerSubscription(parts, id);
    const outcome = (reply: ReturnType<typeof makeSuccessReply> | { error: ReturnType<ApiError['toReply']> }) => ({
      reply,
      ...(now.size === 0
        ? {}
        : {
            parts: Object.fromEntries(
              [...now].map(([id, own]) => [`${SUBSCRIPTION_PART_PREFIX}${id}`, own as unknown as Json]),
            ),
            events,
            commands: [makeSetNotifiedCommands(parts, now.values(), realm, caller)],
            replyAfterCommands: true,
          }),
    });
    try {
      for (const setting of data) {
        now.set(
          setting.stream_id,
          makeSubscriptionWithSetting(
            getSubscriptionToChangeOrThrow(setting, subscription, directory, caller),
            setting,
          ),
        );
        for (const [property, value] of listPropertyUpdatesForEvents(setting)) {
          const event = { type: 'subscription', op: 'update', property, value, stream_id: setting.stream_id };
          events.push({ t: 'event', to: { users: [caller] }, event });
        }
      }
    } catch (error) {
      if (error instanceof ApiError) return outcome({ error: error.toReply() });
      throw error;
    }
    return outcome(makeSuccessReply());
  },
};
