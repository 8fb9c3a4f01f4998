/**
 * Messages that were pushed to the user's devices, with the notifications still there. When one is read or deleted, the
 * push actor takes its notification away.
 */

import type { Json, JsonObject } from '#base';
import { decodeOriginReadState, isReadByMarkOrExceptions, READ_STATE_PART_PREFIX } from '#domain/messages';
import { pushActorKey } from '#model';
import { makeOutboxCommand, type OutboxCommand, pushActorCommands } from '#model/commands';
import type { ActorView, CommandContext, CommandOutcome } from '#runtime';
import { type UserActorHandler, type UserActorState, userIdOfUserActorKey } from './state.js';

/** Maximum number of messages that are remembered; the notification of an older one stays. */
const MAX_REMEMBERED_PUSHED_MESSAGES = 200;

/** The state with one more message. @param origin stream to which the message was sent; 0: a direct message */
export const withPushedMessageAdded = (state: UserActorState, id: number, origin: number): UserActorState => ({
  ...state,
  pushed: [...(state.pushed ?? []), [id, origin] as const].slice(-MAX_REMEMBERED_PUSHED_MESSAGES),
});

/** Forgets messages, and the command that takes their notifications away. */
export function makePushedMessagesRemoval(
  state: UserActorState,
  isGone: (id: number, origin: number) => boolean,
  { key, realm }: Pick<CommandContext, 'key' | 'realm'>,
): { readonly state: UserActorState; readonly command: OutboxCommand } | undefined {
  const { pushed = [] } = state;
  const messages = pushed.filter(([id, origin]) => isGone(id, origin)).map(([id]) => id);
  if (messages.length === 0) return undefined;
  const left = pushed.filter(([id]) => !messages.includes(id));
  const to = pushActorKey(realm, userIdOfUserActorKey(key));
  return {
    state: { ...state, pushed: left },
    command: makeOutboxCommand({ to, name: pushActorCommands.remove, args: { messages }, caller: 0 }),
  };
}

/** The outcome of a command that may mark messages as read, with the notifications of these messages taken away. */
function withPushesOfReadMessagesRemoved(
  view: ActorView<UserActorState>,
  outcome: CommandOutcome<UserActorState>,
  context: CommandContext,
): CommandOutcome<UserActorState> {
  const state = outcome.state ?? view.state;
  const { parts: written } = outcome;
  if (!written || !state.pushed?.length) return outcome;
  const isRead = (id: number, origin: number): boolean => {
    const name = `${READ_STATE_PART_PREFIX}${origin}`;
    if (!(name in written)) return false;
    return (
      isReadByMarkOrExceptions(decodeOriginReadState(new Map<string, Json>([[name, written[name]!]]), origin), id) ===
      true
    );
  };
  const gone = makePushedMessagesRemoval(state, isRead, context);
  if (!gone) return outcome;
  const [first = [], ...later] = outcome.commands ?? [];
  return { ...outcome, state: gone.state, commands: [[...first, gone.command], ...later] };
}

/** Makes a command take away the notifications of the messages that it marks as read. */
export const wrapToRemovePushesOfReadMessages = <A extends JsonObject, I>(
  command: UserActorHandler<A, I>,
): UserActorHandler<A, I> => ({
  ...command,
  handle: (view, args, inputs, context) =>
    withPushesOfReadMessagesRemoved(view, command.handle(view, args, inputs, context), context),
});
