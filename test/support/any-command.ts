/** Commands of tests: actors and frontends of tests take any name. */

import type { JsonObject } from '#base';
import type { ActorKindName } from '#model';
import { type Command, commandOf, type Fields, type Value } from '#model/commands';

export const anyCommand: (name: string) => Command<ActorKindName, JsonObject, Fields> = (name) =>
  commandOf<ActorKindName>()<JsonObject, Fields>(name);

/** One that is answered with a value. */
export const anyQuestion: (name: string) => Command<ActorKindName, JsonObject, Value<unknown>> = (name) =>
  commandOf<ActorKindName>()<JsonObject, Value<unknown>>(name);
