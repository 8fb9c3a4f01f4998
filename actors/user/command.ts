import type { JsonObject } from '../../src/core/index.js';
import type { CommandDefinition } from '../../src/runtime/index.js';
import type { ActorServices } from '../services.js';
import type { UserState } from './state.js';

export type UserCommand<A extends JsonObject, I = undefined> = CommandDefinition<
  UserState,
  A,
  I,
  undefined,
  ActorServices
>;
