/** Declares commands under any name, for the actors and frontends that tests define themselves. */

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

/** Declares a command that is answered with a value. */
export const anyQuestion: (name: string) => ActorCommandName<ActorKindName, JsonObject, ActorValueReply<unknown>> = (
  name,
) => makeCommandDeclarer<ActorKindName>()<JsonObject, ActorValueReply<unknown>>(name);
