import type { JsonObject } from '../../../src/core/index.js';
import type { CommandDefinition } from '../../../src/runtime/index.js';
import type { RealmState } from '../state.js';
import type { RealmVolatile } from '../volatile.js';

export type RealmCommand<A extends JsonObject, I = undefined> = CommandDefinition<RealmState, A, I, RealmVolatile>;
