/** Commands of tests: actors and frontends of tests take any name. */
import type { ActorKindName, JsonObject } from '../../src/core/index.js';
import { type Command, commandOf, type Fields, type Value } from '../../src/model/commands/index.js';

export const anyCommand: (name: string) => Command<ActorKindName, JsonObject, Fields> = (name) =>
  commandOf<ActorKindName>()<JsonObject, Fields>(name);

/** One that is answered with a value. */
export const anyQuestion: (name: string) => Command<ActorKindName, JsonObject, Value<unknown>> = (name) =>
  commandOf<ActorKindName>()<JsonObject, Value<unknown>>(name);
