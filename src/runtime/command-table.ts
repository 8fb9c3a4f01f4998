import type { ActorCommandTable, ArgsOfCommand } from '#model/commands';
import type { AnyCommandDefinition, CommandDefinition } from './kind.js';

/** One handler for each declared command, under the same key. */
type CommandHandlers<T extends ActorCommandTable, S, V, Services> = {
  // biome-ignore lint/suspicious/noExplicitAny: inputs differ from handler to handler
  readonly [N in keyof T]: CommandDefinition<S, ArgsOfCommand<T[N]>, any, V, Services>;
};

/** Handlers by the names under which their commands travel. */
export const mapHandlersByName = <T extends ActorCommandTable, S, V, Services>(
  declared: T,
  handlers: CommandHandlers<T, S, V, Services>,
): Readonly<Record<string, AnyCommandDefinition<S, V, Services>>> =>
  Object.fromEntries(Object.entries(declared).map(([key, name]) => [name, handlers[key as keyof T]]));
