import type { JsonObject } from '#base';
import type { ArgsOf, Command } from '#model/commands';
import type { CommandDefinition } from '#runtime';
import type { ActorServices } from '../services.js';
import type { UserState } from './state.js';

/** Handler of commands with these arguments. */
export type UserHandler<A extends JsonObject, I = undefined> = CommandDefinition<
  UserState,
  A,
  I,
  undefined,
  ActorServices
>;
/** Handler of a declared command. */
export type UserCommand<C extends Command<'user'>, I = undefined> = UserHandler<ArgsOf<C>, I>;
