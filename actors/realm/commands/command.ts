import type { JsonObject } from '../../../src/core/index.js';
import type { AnyCommand, CommandDefinition } from '../../../src/runtime/index.js';
import type { RealmState } from '../state.js';
import type { RealmVolatile } from '../volatile.js';

export type RealmCommand<A extends JsonObject, I = undefined> = CommandDefinition<RealmState, A, I, RealmVolatile>;

type Commands = Readonly<Record<string, AnyCommand<RealmState, RealmVolatile>>>;

/** Every commit with directory items, and no other, moves `directoryVersion`: what replicas have reached is its number. */
export const versioned = (commands: Commands): Commands =>
  Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [name, { ...command, handle: moving(command) }]),
  );

function moving(command: AnyCommand<RealmState, RealmVolatile>): typeof command.handle {
  return (view, args, inputs, context) => {
    const outcome = command.handle(view, args, inputs, context);
    if (!outcome.events?.some((item) => item.t === 'directory')) return outcome;
    return { ...outcome, state: { ...(outcome.state ?? view.state), directoryVersion: context.version } };
  };
}
