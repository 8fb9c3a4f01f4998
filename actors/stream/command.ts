import type { JsonObject } from '../../src/core/index.js';
import type { CommandDefinition } from '../../src/runtime/index.js';
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
