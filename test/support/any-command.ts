/** Commands of tests: actors and frontends of tests take any name. */

import type { JsonObject } from '#base';
import type { ActorKindName } from '#model';
import {
  type ActorCommandName,
  type ActorFieldsReply,
  type ActorValueReply,
  makeCommandDeclarer,
} from '#model/commands';

export const anyCommand: (name: string) => ActorCommandName<ActorKindName, JsonObject, ActorFieldsReply> = (name) =>
  makeCommandDeclarer<ActorKindName>()<JsonObject, ActorFieldsReply>(name);

/** One that is answered with a value. */
export const anyQuestion: (name: string) => ActorCommandName<ActorKindName, JsonObject, ActorValueReply<unknown>> = (
  name,
) => makeCommandDeclarer<ActorKindName>()<JsonObject, ActorValueReply<unknown>>(name);
