/** Types of a command declaration, and the checks of senders: `redirectCommand` and `outboxCommand`. */

import type { JsonObject } from '#base';
import type { ActorKey, ActorKindName } from '#model';

declare const declared: unique symbol;
declare const checked: unique symbol;

/**
 * Reply of a command that is a single value instead of response fields. Only actors and the administration send such
 * commands.
 */
export interface ValueReply<T = null> {
  readonly value: T;
}

/** Reply of a command that has the fields of an API response. Operations of the API send such commands. */
export interface FieldsReply<T = JsonObject> {
  readonly fields: T;
}

export type AnyReply = ValueReply<unknown> | FieldsReply<unknown>;

/**
 * The name under which a command travels: a string. Its type has the kind of actor that handles the command, the
 * arguments and the reply.
 */
export type Command<
  K extends ActorKindName = ActorKindName,
  A extends JsonObject = JsonObject,
  R extends AnyReply = AnyReply,
> = string & { readonly [declared]: { readonly kind: K; readonly args: A; readonly reply: R } };

export type NoArguments = Readonly<Record<string, never>>;
export type ArgsOf<C extends Command> = C[typeof declared]['args'];

/** Declares commands of one kind: `const command = commandOf<'realm'>()`, then `command<Args, Reply>('its-name')`. */
export const commandOf =
  <K extends ActorKindName>() =>
  <A extends JsonObject = NoArguments, R extends AnyReply = ValueReply>(name: string): Command<K, A, R> =>
    name as Command<K, A, R>;

/** The declared commands of a kind, by the names that handlers and senders use for them. */
export type CommandTable = Readonly<Record<string, Command>>;

/**
 * A command with its arguments and its actor, checked by the types of `redirectCommand`, or of `forwardCommand`
 * in operations.
 */
export interface AddressedCommand<R extends AnyReply = AnyReply> {
  readonly to: ActorKey;
  readonly command: Command;
  readonly args: JsonObject;
  readonly [checked]: R;
}

/** A command with its arguments and its actor, as a sender writes it, before its types are checked. */
export interface CommandTo<K extends ActorKindName, A extends JsonObject, R extends AnyReply> {
  readonly to: ActorKey<NoInfer<K>>;
  readonly command: Command<K, A, R>;
  readonly args: NoInfer<A>;
}

/** Makes the command to which an actor redirects the sender, with checked types. Returns the same object. */
export const redirectCommand = <K extends ActorKindName, A extends JsonObject, T>(
  of: CommandTo<K, A, FieldsReply<T>>,
): AddressedCommand<FieldsReply<T>> => of as unknown as AddressedCommand<FieldsReply<T>>;

/** A command in an actor's outbox, made by `outboxCommand`. */
export type OutboxCommand = {
  readonly to: ActorKey;
  readonly name: Command;
  readonly args: JsonObject;
  /** Id of the user on whose behalf the command runs; 0: the system. */
  readonly caller: number;
  /** Realm version that the receiver's directory replica must have applied before it handles the command. */
  readonly after?: number;
  readonly [checked]: true;
};

/** Makes a command for an actor's outbox, with checked types. Returns the same object. */
export const outboxCommand = <K extends ActorKindName, A extends JsonObject>(of: {
  readonly to: ActorKey<NoInfer<K>>;
  readonly name: Command<K, A>;
  readonly args: NoInfer<A>;
  readonly caller: number;
  readonly after?: number;
}): OutboxCommand => of as unknown as OutboxCommand;

/**
 * Reply of an actor that names another command instead: the frontend sends that command for the same caller, and
 * returns the reply to it.
 */
export interface ActorRedirect {
  readonly forward: AddressedCommand<FieldsReply<unknown>>;
  /**
   * True if the frontend must read the realm's log to its end before it sends the command, which may build on changes
   * that the frontend has not read.
   */
  readonly fresh?: true;
}
