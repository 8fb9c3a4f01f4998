/** The user actor: account, API key, personal side of subscriptions, and what the user may read. */
import { apiError } from '../../src/api/errors.js';
import { MARK_PART, READ_PART } from '../../src/messages/index.js';
import type { ActorKind } from '../../src/runtime/index.js';
import { create, fetchKey, me, sealedKey } from './commands/account.js';
import { fetchMessage, fetchMessages, render } from './commands/messages.js';
import { readStream } from './commands/read-stream.js';
import { streamById, subscribersOf, subscriptionStatus } from './commands/streams.js';
import { subscriptionSettings } from './commands/subscription-settings.js';
import { streamIdByName, streams, subscribed, subscriptionState, subscriptions } from './commands/subscriptions.js';
import { unsubscribed } from './commands/unsubscribed.js';
import { userMachine } from './machine.js';
import { SUBSCRIPTION_PART, type UserState } from './state.js';

export const userKind: ActorKind<UserState> = {
  name: 'user',
  machine: userMachine,
  directory: true,
  loads: [SUBSCRIPTION_PART, READ_PART, MARK_PART],
  commands: {
    create,
    'fetch-key': fetchKey,
    'sealed-key': sealedKey,
    me,
    subscribed,
    unsubscribed,
    'read-stream': readStream,
    'subscription-settings': subscriptionSettings,
    stream: streamById,
    subscribers: subscribersOf,
    'subscription-status': subscriptionStatus,
    'subscription-state': subscriptionState,
    subscriptions,
    streams,
    messages: fetchMessages,
    message: fetchMessage,
    render,
    'stream-id': streamIdByName,
  },
  initial: () => ({ phase: 'active', passwordHash: null, keySealed: '' }),
  volatile: () => undefined,
  missing: () => ({ error: apiError('NO_SUCH_USER').toReply() }),
  refuse: () => ({ error: apiError('ACCOUNT_DEACTIVATED').toReply() }),
};
