/** The user actor: account, API key, personal side of subscriptions, and what the user may read. */
import { apiError } from '../../src/api/errors.js';
import { MARK_PART, READ_PART } from '../../src/messages/index.js';
import type { ActorKind } from '../../src/runtime/index.js';
import { create, fetchKey, me, sealedKey } from './commands/account.js';
import { fileAccess, fileExists, filePublic, filesAccessible } from './commands/file-access.js';
import { attachments, due, fileBegin, fileDone, fileLinked, fileRemove, fileUnlinked } from './commands/files.js';
import { fetchMessage, fetchMessages, render } from './commands/messages.js';
import { streamIdByName, streams, subscribed, subscriptionState, subscriptions } from './commands/subscriptions.js';
import { FILE_PART } from './files.js';
import { userMachine } from './machine.js';
import { SUBSCRIPTION_PART, type UserState } from './state.js';

export const userKind: ActorKind<UserState> = {
  name: 'user',
  machine: userMachine,
  directory: true,
  loads: [SUBSCRIPTION_PART, READ_PART, MARK_PART, FILE_PART],
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
    'file-begin': fileBegin,
    'file-done': fileDone,
    'file-remove': fileRemove,
    'file-linked': fileLinked,
    'file-unlinked': fileUnlinked,
    'file-exists': fileExists,
    'file-access': fileAccess,
    'file-public': filePublic,
    'files-accessible': filesAccessible,
    attachments,
    due,
  },
  initial: () => ({ phase: 'active', passwordHash: null, keySealed: '' }),
  volatile: () => undefined,
  missing: () => ({ error: apiError('NO_SUCH_USER').toReply() }),
  refuse: () => ({ error: apiError('ACCOUNT_DEACTIVATED').toReply() }),
};
