/** The user actor: account, API key, personal side of subscriptions, and what the user may read. */
import { apiError } from '../../src/api/errors.js';
import { MARK_PART, READ_PART } from '../../src/messages/index.js';
import type { ActorKind } from '../../src/runtime/index.js';
import { create, fetchKey, me, sealedKey } from './commands/account.js';
import { makeCopy } from './commands/make-copy.js';
import { fetchMessage, fetchMessages, render } from './commands/messages.js';
import { onMessage } from './commands/on-message.js';
import { readReceipts } from './commands/read-receipts.js';
import { streamIdByName, streams, subscribed, subscriptionState, subscriptions } from './commands/subscriptions.js';
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
    'subscription-state': subscriptionState,
    subscriptions,
    streams,
    messages: fetchMessages,
    message: fetchMessage,
    render,
    'stream-id': streamIdByName,
    'make-copy': makeCopy,
    react: onMessage('react'),
    unreact: onMessage('unreact'),
    submessage: onMessage('submessage'),
    'read-receipts': readReceipts,
  },
  initial: () => ({ phase: 'active', passwordHash: null, keySealed: '' }),
  volatile: () => undefined,
  missing: () => ({ error: apiError('NO_SUCH_USER').toReply() }),
  refuse: () => ({ error: apiError('ACCOUNT_DEACTIVATED').toReply() }),
};
