/** Callers of actors for the command line: over a bus client, or through the running server (channel.ts). */

import type { Json, JsonObject } from '#base';
import type { ActorKey, ActorKindName, ActorRefusalReply } from '#model';
import type { ActorCommandName, ActorFieldsReply, ActorValueReply } from '#model/commands';
import type { ActorClient } from '#runtime';
import { AdminError } from './admin-error.js';

/** Reply of an actor as plain JSON; encoded response fields are decoded. */
export type ActorJsonReply = { readonly value: Json } | { readonly fields: JsonObject } | ActorRefusalReply;

/** Sends commands on behalf of the system and returns typed replies. */
export abstract class SystemActorCaller {
  abstract sendForReply(to: ActorKey, name: string, args: JsonObject): Promise<ActorJsonReply>;
  abstract close(): Promise<void>;

  /** Sends a command that is answered with a value. @throws AdminError with the actor's message */
  async sendForValueOrThrow<K extends ActorKindName, A extends JsonObject, T>(
    to: ActorKey<NoInfer<K>>,
    name: ActorCommandName<K, A, ActorValueReply<T>>,
    args: NoInfer<A>,
  ): Promise<T> {
    const reply = await this.sendForReply(to, name, args);
    if ('value' in reply) return reply.value as T;
    throw new AdminError('error' in reply ? reply.error.msg : `${name} answered in another form`);
  }

  /** Sends a command that is answered with response fields. @throws AdminError with the actor's message */
  async sendForFieldsOrThrow<K extends ActorKindName, A extends JsonObject, T>(
    to: ActorKey<NoInfer<K>>,
    name: ActorCommandName<K, A, ActorFieldsReply<T>>,
    args: NoInfer<A>,
  ): Promise<T> {
    const reply = await this.sendForReply(to, name, args);
    if ('fields' in reply) return reply.fields as T;
    throw new AdminError('error' in reply ? reply.error.msg : `${name} answered in another form`);
  }
}

const utf8Decoder = new TextDecoder();

/** Sends commands over a bus client of this process. */
export class BusSystemActorCaller extends SystemActorCaller {
  constructor(
    private readonly client: ActorClient,
    private readonly onClose: () => Promise<void>,
  ) {
    super();
  }

  async sendForReply(to: ActorKey, name: string, args: JsonObject): Promise<ActorJsonReply> {
    const reply = await this.client.send(to, name, args, { client: 'conclave', deadlineMs: 20_000 }).reply;
    if ('forward' in reply || 'again' in reply) throw new AdminError(`${name} was answered in another form`);
    if (!('ok' in reply)) return reply;
    const text = reply.ok.map((part) => utf8Decoder.decode(part)).join('');
    return { fields: JSON.parse(`{${text.slice(1)}}`) as JsonObject };
  }

  close(): Promise<void> {
    return this.onClose();
  }
}
