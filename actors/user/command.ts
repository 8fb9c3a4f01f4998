import type { JsonObject } from '#base';
import type { CommandDefinition } from '#runtime';
import type { ActorServices } from '../services.js';
import type { UserState } from './state.js';

export type UserCommand<A extends JsonObject, I = undefined> = CommandDefinition<
  UserState,
  A,
  I,
  undefined,
  ActorServices
>;
