/** Commands of tests: actors and frontends of tests take any name. */

import type { JsonObject } from '#base';
import type { ActorKindName } from '#model';
import { type Command, commandOf, type FieldsReply, type ValueReply } from '#model/commands';

export const anyCommand: (name: string) => Command<ActorKindName, JsonObject, FieldsReply> = (name) =>
  commandOf<ActorKindName>()<JsonObject, FieldsReply>(name);

/** One that is answered with a value. */
export const anyQuestion: (name: string) => Command<ActorKindName, JsonObject, ValueReply<unknown>> = (name) =>
  commandOf<ActorKindName>()<JsonObject, ValueReply<unknown>>(name);
