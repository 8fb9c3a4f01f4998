import type { ArgsOf, CommandTable } from '#model/commands';
import type { AnyCommand, CommandDefinition } from './kind.js';

/** One handler for each declared command, under the same key. */
export type HandlersOf<T extends CommandTable, S, V, Services> = {
  // biome-ignore lint/suspicious/noExplicitAny: inputs differ from handler to handler
  readonly [N in keyof T]: CommandDefinition<S, ArgsOf<T[N]>, any, V, Services>;
};

/** Handlers by the names under which their commands travel. */
export const handlersOf = <T extends CommandTable, S, V, Services>(
  declared: T,
  handlers: HandlersOf<T, S, V, Services>,
): Readonly<Record<string, AnyCommand<S, V, Services>>> =>
  Object.fromEntries(Object.entries(declared).map(([key, name]) => [name, handlers[key as keyof T]]));
