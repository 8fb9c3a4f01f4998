/** Conversations: streams (`stream/…`) and direct messages (`dm/…`) are one kind of actor with two ways to send. */
import { apiError } from '../../src/api/errors.js';
import type { ActorKind } from '../../src/runtime/index.js';
import { MEMBER_PART } from '../../src/streams/index.js';
import { archive, join, leave, members } from './commands/members.js';
import { directNotice, notice } from './commands/notice.js';
import { react, unreact } from './commands/react.js';
import { send, sendDirect } from './commands/send.js';
import { submessage } from './commands/submessage.js';
import { streamMachine } from './machine.js';
import { RecentMessages, type StreamVolatile } from './recent.js';
import type { StreamState } from './state.js';

const common = {
  machine: streamMachine,
  directory: true,
  loads: [MEMBER_PART],
  initial: () => ({ phase: 'active', mv: 0, last: 0, participants: [], recipient: 0 }),
  volatile: (): StreamVolatile => ({ recent: new RecentMessages() }),
  missing: () => ({ error: apiError('INVALID_STREAM_ID').toReply() }),
  refuse: () => ({ error: apiError('INVALID_STREAM_ID').toReply() }),
} as const;

/** Commands on one message, wherever it is. */
const onMessages = { react, unreact, submessage };

export const streamKind: ActorKind<StreamState, StreamVolatile> = {
  ...common,
  name: 'stream',
  commands: { send, notice, join, leave, archive, members, ...onMessages },
};

export const directKind: ActorKind<StreamState, StreamVolatile> = {
  ...common,
  name: 'dm',
  commands: { 'send-direct': sendDirect, notice: directNotice, ...onMessages },
};
