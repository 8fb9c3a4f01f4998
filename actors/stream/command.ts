import type { JsonObject } from '#base';
import type { ArgsOf, Command } from '#model/commands';
import type { CommandDefinition } from '#runtime';
import type { ActorServices } from '../services.js';
import type { StreamVolatile } from './recent.js';
import type { StreamState } from './state.js';

/** Handler of commands with these arguments. */
export type StreamHandler<A extends JsonObject, I = undefined> = CommandDefinition<
  StreamState,
  A,
  I,
  StreamVolatile,
  ActorServices
>;
/** Handler of a declared command. */
export type StreamCommand<C extends Command<'stream' | 'dm'>, I = undefined> = StreamHandler<ArgsOf<C>, I>;
