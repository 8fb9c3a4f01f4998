/** Types of a command declaration, and the checks of senders: `makeRedirectCommand` and `makeOutboxCommand`. */

import type { JsonObject } from '#base';
import type { ActorKey, ActorKindName } from '#model';

declare const declarationBrand: unique symbol;
declare const checkedTypesBrand: unique symbol;

/**
 * Reply of a command that is a single value instead of response fields. Only actors and the administration send such
 * commands.
 */
export interface ActorValueReply<T = null> {
  readonly value: T;
}

/** Reply of a command that has the fields of an API response. Operations of the API send such commands. */
export interface ActorFieldsReply<T = JsonObject> {
  readonly fields: T;
}

export type AnyActorReply = ActorValueReply<unknown> | ActorFieldsReply<unknown>;

/**
 * The name under which a command travels: a string. Its type has the kind of actor that handles the command, the
 * arguments and the reply.
 */
export type ActorCommandName<
  K extends ActorKindName = ActorKindName,
  A extends JsonObject = JsonObject,
  R extends AnyActorReply = AnyActorReply,
> = string & { readonly [declarationBrand]: { readonly kind: K; readonly args: A; readonly reply: R } };

export type NoCommandArguments = Readonly<Record<string, never>>;
export type ArgsOfCommand<C extends ActorCommandName> = C[typeof declarationBrand]['args'];

/**
 * Declares commands of one kind: `const command = makeCommandDeclarer<'realm'>()`, then `command<Args,
 * Reply>('its-name')`.
 */
export const makeCommandDeclarer =
  <K extends ActorKindName>() =>
  <A extends JsonObject = NoCommandArguments, R extends AnyActorReply = ActorValueReply>(
    name: string,
  ): ActorCommandName<K, A, R> =>
    name as ActorCommandName<K, A, R>;

/** The declared commands of a kind, by the names that handlers and senders use for them. */
export type ActorCommandTable = Readonly<Record<string, ActorCommandName>>;

/**
 * A command with its arguments and its actor, checked by the types of `makeRedirectCommand`, or of `forwardCommand`
 * in operations.
 */
export interface AddressedCommand<R extends AnyActorReply = AnyActorReply> {
  readonly to: ActorKey;
  readonly command: ActorCommandName;
  readonly args: JsonObject;
  readonly [checkedTypesBrand]: R;
}

/** A command with its arguments and its actor, as a sender writes it, before its types are checked. */
export interface UncheckedAddressedCommand<K extends ActorKindName, A extends JsonObject, R extends AnyActorReply> {
  readonly to: ActorKey<NoInfer<K>>;
  readonly command: ActorCommandName<K, A, R>;
  readonly args: NoInfer<A>;
}

/** Makes the command to which an actor redirects the sender, with checked types. Returns the same object. */
export const makeRedirectCommand = <K extends ActorKindName, A extends JsonObject, T>(
  of: UncheckedAddressedCommand<K, A, ActorFieldsReply<T>>,
): AddressedCommand<ActorFieldsReply<T>> => of as unknown as AddressedCommand<ActorFieldsReply<T>>;

/** A command in an actor's outbox, made by `makeOutboxCommand`. */
export type OutboxCommand = {
  readonly to: ActorKey;
  readonly name: ActorCommandName;
  readonly args: JsonObject;
  /** Id of the user on whose behalf the command runs; 0: the system. */
  readonly caller: number;
  /** Realm version that the receiver's directory replica must have applied before it handles the command. */
  readonly after?: number;
  readonly [checkedTypesBrand]: true;
};

/** Makes a command for an actor's outbox, with checked types. Returns the same object. */
export const makeOutboxCommand = <K extends ActorKindName, A extends JsonObject>(of: {
  readonly to: ActorKey<NoInfer<K>>;
  readonly name: ActorCommandName<K, A>;
  readonly args: NoInfer<A>;
  readonly caller: number;
  readonly after?: number;
}): OutboxCommand => of as unknown as OutboxCommand;

/**
 * Reply of an actor that names another command instead: the frontend sends that command for the same caller, and
 * returns the reply to it.
 */
export interface ActorRedirectReply {
  readonly forward: AddressedCommand<ActorFieldsReply<unknown>>;
  /**
   * True if the frontend must read the realm's log to its end before it sends the command, which may build on changes
   * that the frontend has not read.
   */
  readonly fresh?: true;
}
