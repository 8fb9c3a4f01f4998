/**
 * How a kind of actor is written down: its machine, the shape of its state, and the commands it answers.
 *
 * A handler is a function of state, command and the inputs that the command declared it needs; it does no I/O and
 * awaits nothing. The runtime supplies the inputs first (in mailbox order), runs handlers one at a time, and commits
 * what they return.
 */
import type { AnyStateMachine } from 'xstate';
import type { Json, JsonObject } from '#base';
import type { ActorKey, ActorKindName, ActorReply, LogItem, PlainItem, RealmId, StopReason } from '#model';
import type { ActorRedirect, Command, OutboxCommand, Value } from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { MessageRecord } from '#ports/store';

/** What a handler may know besides state, arguments and inputs. */
export interface CommandContext {
  readonly key: ActorKey;
  readonly realm: RealmId;
  /** Wall time at which the command is handled, ms. */
  readonly now: number;
  /** User on whose behalf the command runs; 0 = the system. */
  readonly caller: number;
  readonly client: string;
  /** The version that the commit of this command will have. In a read: the version of what it sees, exactly. */
  readonly version: number;
  /** Replica of the realm's directory; only for kinds with `directory`. */
  readonly directory: DirectoryView;
  /** Commands of this name that this actor has decided on and that may not be carried out yet. */
  underWay(command: Command): readonly OutboxCommand[];
}

/** The actor as handlers see it: the newest state, committed or not. */
export interface View<S, V = unknown> {
  readonly state: S;
  /** Parts that are loaded with the actor, by name. */
  readonly parts: ReadonlyMap<string, Json>;
  /** In-memory companion made at activation; never persisted, lost with the activation. */
  readonly volatile: V;
}

/**
 * A message to write. Its rev counts its own changes (1 = new) and not the actor's commits, because a moved message is
 * written by another actor from then on.
 */
export interface MessageChange {
  readonly id: number;
  readonly rev: number;
  readonly record: MessageRecord | null;
}

export interface Outcome<S> {
  /** What the sender gets, after the commit. */
  readonly reply: ActorReply | ActorRedirect | { readonly value: Json };
  /** New root state; absent = unchanged. */
  readonly state?: S;
  /** Parts to write; null deletes. */
  readonly parts?: Readonly<Record<string, Json>>;
  readonly messages?: readonly MessageChange[];
  readonly events?: readonly LogItem[];
  /**
   * Events that are never stored and may be lost (somebody types). They alone make no commit; they go out after the log
   * holds everything that the handler may have seen.
   */
  readonly transient?: readonly PlainItem[];
  /** Commands to other actors, stage after stage; those of a stage may arrive in any order. */
  readonly commands?: readonly (readonly OutboxCommand[])[];
  /** The reply waits until all commands of this outcome were carried out. */
  readonly replyAfterCommands?: boolean;
  /**
   * When to be woken (`due` command), ms; null = not; absent = unchanged, but for the `due` command itself, which clears
   * it. `due` runs only when its time has come, once for each time set.
   */
  readonly due?: number | null;
  /** Event for the actor's machine, which decides the next phase. */
  readonly transition?: string;
  /** The actor ends for good: its root and parts are removed. */
  readonly end?: true;
}

/** I/O that needs may do; supplied by the host. */
export interface Suppliers {
  /** One new message id of the realm, larger than every id handed out before the call. */
  messageId(realm: RealmId): Promise<number>;
  /** Ask another actor (no effect there may depend on being asked once). The runtime adds the request's id. */
  ask<K extends ActorKindName, A extends JsonObject, T>(
    to: ActorKey<NoInfer<K>>,
    command: Command<K, A, Value<T>>,
    args: NoInfer<A>,
    caller?: number,
    requestId?: string,
  ): Promise<T>;
  readonly store: import('#ports/store').Store;
  readonly log: import('#ports/log').EventLog;
  directory(realm: RealmId): Promise<DirectoryView>;
  /** Resolves when the log holds the events of everything that this host's actors committed before; undefined: it does. */
  told(realm: RealmId): Promise<void> | undefined;
  /** Anything else a kind's needs use (renderer, password hashing, feeds); see host options. */
  readonly services: HostServices;
}

/** Extended by declaration merging where a service is defined. */
// biome-ignore lint/suspicious/noEmptyInterface: filled in by the modules that provide services
export interface HostServices {}

/** Thrown by needs: what the command builds on was decided and is not carried out yet. Its sender tries again a little later. */
export class TooEarly extends Error {
  override name = 'TooEarly';
}

export interface CommandDefinition<S, A extends JsonObject, I, V> {
  /** What must be at hand before the handler runs. Started at arrival; never awaited inside a handler. */
  readonly needs?: (args: A, context: NeedsContext<S, V>, suppliers: Suppliers) => Promise<I> | I;
  readonly handle: (view: View<S, V>, args: A, inputs: I, context: CommandContext) => Outcome<S>;
  /** Changes nothing and may see uncommitted state: the reply waits for the commits it saw. */
  readonly read?: true;
  /** A read that is answered only when the realm's log holds the events of everything it saw. */
  readonly logged?: true;
  /**
   * Handlers of one lane run in order of arrival; lanes do not wait for each other's inputs. Default 'main'. A command
   * that others need while they wait (a message id) has a lane of its own, or actors could wait for each other.
   */
  readonly lane?: string;
  /**
   * The lane rests until this command's outgoing commands were carried out, and its needs are only asked for when it is
   * its turn: what it reads of other actors can't be changed by another command of the lane.
   */
  readonly exclusive?: true;
  /** May run on an actor that has no root yet. Others get 'no such actor' (kind.missing). */
  readonly creates?: true;
  /**
   * Makes the actor, under a key that was made up for this command: so it is not looked for in the Store. Where it is there
   * already, the command was carried out before; its reply, which is not remembered, was lost, and the sender begins anew.
   */
  readonly founds?: true;
}

export interface NeedsContext<S, V> {
  readonly key: ActorKey;
  readonly realm: RealmId;
  readonly caller: number;
  /** The state at arrival: a hint, not what the handler will see. Undefined while the actor has no root. */
  readonly view: View<S, V>;
}

// biome-ignore lint/suspicious/noExplicitAny: commands of one actor differ in arguments and inputs
export type AnyCommand<S, V> = CommandDefinition<S, any, any, V>;

/** A request whose reply is held; how polls wait. */
export interface HeldRequest {
  readonly id: string;
  reply(reply: ActorReply): void;
  onCancel(fn: () => void): void;
}

/** Why an activation leaves memory on purpose: nobody used it for a while, or its partition is handed over. */
export type LeaveReason = 'passivated' | 'drained';

/** Side of an activation that lives outside the mailbox (the event queue's buffer and poll). */
export interface LiveActor {
  /** A command named in `liveCommands`: handled at once, in order of arrival, never committed. */
  command(name: string, args: JsonObject, request: HeldRequest, caller: number): void;
  /** The activation is about to leave on purpose: write down (through `tell`) what only memory knows. */
  draining?(reason: LeaveReason): Promise<void>;
  /** A commit of the actor became durable. */
  committed(): void;
  /** The activation leaves memory. */
  stopped(reason: StopReason): void;
  /** False keeps the actor from being passivated. */
  idle(): boolean;
  /** What it is doing, in a word of a small vocabulary; for metrics. */
  phase?(): string | undefined;
  /** Why the actor ended, once it did; for logs and metrics. */
  endReason?(): string | undefined;
}

export interface ActivationHandle<S, V = unknown> {
  readonly key: ActorKey;
  readonly realm: RealmId;
  /** False until the command that creates the actor was handled. */
  exists(): boolean;
  /** Newest state, committed or not. */
  state(): S;
  /** What `volatile` made: the one place that handlers and the live side share. */
  readonly volatile: V;
  /** Send the actor itself a command through its mailbox, as the system. */
  tell<K extends ActorKindName, A extends JsonObject>(command: Command<K, A>, args: NoInfer<A>): Promise<void>;
}

export interface ActorKind<S extends JsonObject, V = undefined> {
  readonly name: string;
  /** States of the actor; `phase` in the persisted state is its value. */
  readonly machine: AnyStateMachine;
  /** Commands that each phase admits beyond those that any phase admits; a refused one gives `refuse`. */
  readonly commands: Readonly<Record<string, AnyCommand<S, V>>>;
  /** State of an actor that has no root. */
  initial(key: ActorKey): S;
  /** @param owned wall time since which this host has had the actor's partition, ms */
  volatile(key: ActorKey, state: S, parts: ReadonlyMap<string, Json>, owned: number): V;
  /**
   * The outcome is refused, as an event of it is too large for the log: takes back what its handler noted in `volatile`.
   * Absent: where there is such, the actor is loaded anew.
   */
  takeBack?(view: View<S, V>, outcome: Outcome<S>): void;
  /** Reply to a command for an actor without root (commands without `creates`). */
  missing(key: ActorKey): ActorReply;
  /** Reply to a command that the present phase does not admit. */
  refuse(phase: string, name: string): ActorReply;
  /** Handlers and needs use the realm's directory replica. */
  readonly directory: boolean;
  /** Prefixes of the parts that are loaded with the actor. */
  readonly loads: readonly string[];
  /** Idle for this long, ms, the actor leaves memory; default: what the host is told. */
  readonly restMs?: number;
  /** Its loaded parts are things to be delivered that wait; for metrics. */
  readonly partsWait?: true;
  readonly liveCommands?: readonly string[];
  live?(handle: ActivationHandle<S, V>, suppliers: Suppliers): LiveActor;
}

// biome-ignore lint/suspicious/noExplicitAny: a registry of kinds of all shapes
export type AnyKind = ActorKind<any, any>;
