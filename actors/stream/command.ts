import type { JsonObject } from '#base';
import type { CommandDefinition } from '#runtime';
import type { ActorServices } from '../services.js';
import type { StreamVolatile } from './recent.js';
import type { StreamState } from './state.js';

export type StreamCommand<A extends JsonObject, I = undefined> = CommandDefinition<
  StreamState,
  A,
  I,
  StreamVolatile,
  ActorServices
>;
