/** The user's side of leaving streams. Colours and switches are kept for a return. */

import { value } from '#actors/shared';
import type { Json } from '#base';
import type { LogItem } from '#model';
import type { userCommands } from '#model/commands';
import { splitForEvents } from '#runtime';
import type { UserCommand } from '../../command.js';
import { SUBSCRIPTION_PART, selfOf, subscriptionOf } from '../../state.js';

/**
 * Decided by the realm actor: never refuses, and a repeat changes nothing.
 * `silent`: the stream itself has ended, which everybody has heard.
 */
export const unsubscribed: UserCommand<typeof userCommands.unsubscribed> = {
  handle({ parts }, { streams, silent }, _inputs, { key }) {
    const left = streams.filter(({ id }) => subscriptionOf(parts, id)?.active);
    if (left.length === 0) return { reply: value(null) };
    const changed = left.map(({ id }) => {
      const own = { ...subscriptionOf(parts, id)!, active: false };
      return [`${SUBSCRIPTION_PART}${id}`, own as unknown as Json] as const;
    });
    const self = selfOf(key);
    const subscriptions = left.map(({ id, name }) => ({ name, stream_id: id }));
    const events = splitForEvents(subscriptions).map((some): LogItem => {
      return { t: 'event', to: { users: [self] }, event: { type: 'subscription', op: 'remove', subscriptions: some } };
    });
    return {
      reply: value(null),
      parts: Object.fromEntries(changed),
      events: silent ? [] : events,
    };
  },
};
