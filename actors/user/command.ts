import type { JsonObject } from '../../src/core/index.js';
import type { ArgsOf, Command } from '../../src/model/commands/index.js';
import type { CommandDefinition } from '../../src/runtime/index.js';
import type { UserState } from './state.js';

/** Handler of commands with these arguments. */
export type UserHandler<A extends JsonObject, I = undefined> = CommandDefinition<UserState, A, I, undefined>;
/** Handler of a declared command. */
export type UserCommand<C extends Command<'user'>, I = undefined> = UserHandler<ArgsOf<C>, I>;
