/**
 * Declaration of a kind of actor: the commands it answers, the shape of its state, and the phases of its life.
 *
 * A handler is a pure function of state, arguments and inputs; it does no I/O and awaits nothing. The runtime loads the
 * inputs first (in mailbox order), runs handlers one at a time, and commits the outcomes that they return.
 */
import type { AnyStateMachine } from 'xstate';
import type { Json, JsonObject } from '#base';
import { correctTimeFromAhead } from '#base/clock';
import type { CounterName, GaugeName, MetricLabelValues, MetricName } from '#base/metrics';
import type { ActivationStopReason, ActorKey, ActorKindName, ActorReply, EventLogItem, LogItem, RealmId } from '#model';
import type { ActorCommandName, ActorRedirectReply, ActorValueReply, OutboxCommand } from '#model/commands';
import type { DirectoryView, MessageRecord } from '#model/records';
import type { EventLog } from '#ports/log';
import type { Store } from '#ports/store';
import type { ActorCommandReply } from './protocol.js';

/** Facts that a command handler knows besides state, arguments and inputs. */
export interface CommandContext {
  readonly key: ActorKey;
  readonly realm: RealmId;
  /** Wall time at which the command is handled, ms. */
  readonly now: number;
  /** User on whose behalf the command runs; 0 = the system. */
  readonly caller: number;
  /** Name of the client program that sent the command, for commands that store it. */
  readonly client: string;
  /**
   * Version that the commit of this command will have; for a read, the version of exactly the state that the read sees.
   */
  readonly version: number;
  /** Replica of the realm's directory; only for kinds that declare `directory`. */
  readonly directory: DirectoryView;
  /** Finds commands of this name that this actor has decided to send and that may not be carried out yet. */
  findPendingCommands(command: ActorCommandName): readonly OutboxCommand[];
}

/** The actor as handlers see it: the newest state, committed or not. */
export interface ActorView<S, V = unknown> {
  readonly state: S;
  /** Parts of the actor that are loaded with it, by name. */
  readonly parts: ReadonlyMap<string, Json>;
  /**
   * In-memory companion object of the actor, made at activation; it is never persisted, and lost with the activation.
   */
  readonly volatile: V;
}

/**
 * A message to write. `rev` counts the changes of the message (1 = new), not the commits of the actor, because a moved
 * message is later written by another actor.
 */
export interface MessageChange {
  readonly id: number;
  readonly rev: number;
  readonly record: MessageRecord | null;
}

/** The decision of a command handler. Without any field besides `reply`, nothing is committed. */
export interface CommandOutcome<S> {
  /** Reply to the sender, sent after the commit. */
  readonly reply: ActorReply | ActorRedirectReply | { readonly value: Json };
  /** New root state of the actor; absent = unchanged. */
  readonly state?: S;
  /** Parts of the actor to write, by name; null deletes the part. */
  readonly parts?: Readonly<Record<string, Json>>;
  readonly messages?: readonly MessageChange[];
  readonly events?: readonly LogItem[];
  /**
   * Events that are never stored and may be lost (typing notifications). They cause no commit by themselves; they are
   * published after the log holds everything that the handler may have seen.
   */
  readonly transient?: readonly EventLogItem[];
  /** Commands to other actors, as a list of stages; the commands of one stage may arrive in any order. */
  readonly commands?: readonly (readonly OutboxCommand[])[];
  /** True if the reply waits until all commands of this outcome are carried out. */
  readonly replyAfterCommands?: boolean;
  /**
   * Wall time of the next wake-up (`due` command), ms; null: none. Absent: unchanged, except that the `due` command
   * itself clears the time. `due` runs once for each time set, and never early.
   */
  readonly due?: number | null;
  /** True if the actor ends for good: its root and parts are removed. */
  readonly end?: true;
}

/** The I/O that the loading of a command's inputs may do; supplied by the host. */
export interface CommandInputSources<Services = unknown> {
  /** Fetches one new message id of the realm, larger than every id handed out before the call. */
  fetchMessageId(realm: RealmId): Promise<number>;
  /**
   * Sends a command to another actor and returns the answer. The command may be sent more than once, so a repeat must
   * do no harm.
   */
  askActor<K extends ActorKindName, A extends JsonObject, T>(
    to: ActorKey<NoInfer<K>>,
    command: ActorCommandName<K, A, ActorValueReply<T>>,
    args: NoInfer<A>,
    caller?: number,
    requestId?: string,
  ): Promise<T>;
  readonly store: Store;
  readonly log: EventLog;
  loadDirectory(realm: RealmId): Promise<DirectoryView>;
  /** The replica of the realm's directory if it is open. */
  findOpenDirectory(realm: RealmId): DirectoryView | undefined;
  /**
   * Resolves when the log holds the events of all earlier commits of this host's actors; undefined if it holds them
   * now.
   */
  waitUntilPublished(realm: RealmId): Promise<void> | undefined;
  /** Services of the application (renderer, password hashing, feeds), from ActorHostOptions.services. */
  readonly services: Services;
}

/**
 * Thrown by `inputs` when an earlier decision on which the command builds is not carried out yet. The sender retries.
 */
export class CommandTooEarlyError extends Error {
  override name = 'CommandTooEarlyError';
}

export interface CommandDefinition<S, A extends JsonObject, I, V, Services = unknown> {
  /** Loads the inputs of the handler. Runs when the command arrives; the handler itself never awaits. */
  readonly inputs?: (
    args: A,
    context: CommandInputContext<S, V>,
    sources: CommandInputSources<Services>,
  ) => Promise<I> | I;
  /** Decides the command. @throws ApiError when the command is refused; then nothing is committed */
  readonly handle: (view: ActorView<S, V>, args: A, inputs: I, context: CommandContext) => CommandOutcome<S>;
  /**
   * True if the command is a read: it changes nothing and may see uncommitted state, so its reply waits for the commits
   * whose effects it saw.
   */
  readonly read?: true;
  /**
   * True if the command is a read that is answered only when the realm's log holds the events of everything that the
   * read saw.
   */
  readonly logged?: true;
  /**
   * Mailbox lane of the command. Handlers of one lane run in order of arrival; lanes do not wait for each other's
   * inputs. Default 'main'. A command for which other actors wait (a message id) has its own lane, or actors could
   * deadlock.
   */
  readonly lane?: string;
  /**
   * True if the command is exclusive: its lane is suspended until the commands that it sends are carried out, and the
   * inputs are loaded only when it is this command's turn. So no other command of the lane changes what was read of
   * other actors.
   */
  readonly exclusive?: true;
  /**
   * True if the command may run on an actor that has no root yet. Other commands get the reply of
   * `makeMissingActorReply`.
   */
  readonly creates?: true;
  /**
   * True if the command creates the actor under a key that was generated for this command, so that the Store need not
   * be read first. If the actor exists, the command ran before and its reply, which is not remembered, was lost: the
   * sender starts over with a new key.
   */
  readonly mintsKey?: true;
}

/** Facts that `inputs` knows besides the arguments. */
export interface CommandInputContext<S, V> {
  readonly key: ActorKey;
  readonly realm: RealmId;
  readonly caller: number;
  /**
   * The actor's state when the command arrived; its handler may see a newer state. The initial state while the actor
   * has no root.
   */
  readonly view: ActorView<S, V>;
}

// biome-ignore lint/suspicious/noExplicitAny: commands of one actor differ in arguments and inputs
export type AnyCommandDefinition<S, V, Services = any> = CommandDefinition<S, any, any, V, Services>;

/** A request to a sidecar that may be answered much later, such as a long poll. */
export interface DeferredRequest {
  readonly id: string;
  reply(reply: ActorCommandReply): void;
  onCancel(fn: () => void): void;
}

/** Reason why an activation leaves memory on purpose: it was idle for a while, or its partition is handed over. */
export type PassivationReason = 'passivated' | 'drained';

/** The part of an activation that works outside the mailbox, such as the event queue's buffer and waiting poll. */
export interface ActorSidecar {
  /** Handles a command named in `sidecarCommands`: at once, in order of arrival, without a commit. */
  handleCommand(name: string, args: JsonObject, request: DeferredRequest, caller: number): void;
  /**
   * Called before a planned passivation: stores the state that exists only in memory, by a command through `sendSelf`.
   */
  flush?(reason: PassivationReason): Promise<void>;
  /** Called when a commit of the actor is durable. */
  onCommitted(): void;
  /** Called when the activation leaves memory. */
  onActivationStopped(reason: ActivationStopReason): void;
  /** True if the sidecar has nothing to do; false keeps the actor in memory. */
  isIdle(): boolean;
  /** Current phase of the sidecar, one of a few names; for metrics and quotas. */
  phase?(): string | undefined;
  /** Reason why the actor ended, after it has ended; for logs and metrics. */
  endReason?(): string | undefined;
}

export interface ActorActivationHandle<S, V = unknown> {
  readonly key: ActorKey;
  readonly realm: RealmId;
  /** False until the command that creates the actor has been handled. */
  exists(): boolean;
  /** Newest state of the actor, committed or not. */
  state(): S;
  /** The object that `ActorKindDefinition.volatile` made; handlers and sidecar share it. */
  readonly volatile: V;
  /** Sends the actor a command through its own mailbox, as the system. */
  sendSelf<K extends ActorKindName, A extends JsonObject>(
    command: ActorCommandName<K, A>,
    args: NoInfer<A>,
  ): Promise<void>;
}

/**
 * Limit on the actors of a kind that one owner may have, passivated ones included. Creating one more ends the owner's
 * actor that was written least recently, busy ones last. The new actor isn't refused, because then a client that
 * creates actors in a loop would lock out the owner's other clients. All actors of one owner must live on one
 * partition.
 */
interface ActorQuota<Services = unknown> {
  limit(services: Services): number;
  /** Returns the name of the owner whose actors share one limit. */
  ownerOf(key: ActorKey): string;
  /** Sidecar phase of an actor that is in use at this moment: it is ended last. */
  readonly busyPhase: string;
  /** Command that ends an actor over the limit. */
  readonly endCommand: { readonly command: string; readonly args: JsonObject };
}

/** Names of metrics that have exactly one label. */
type MetricNameWithOneLabel<N extends MetricName> = N extends MetricName
  ? MetricLabelValues<N> extends readonly [string]
    ? N
    : never
  : never;

/** Metrics about the sidecars of a kind. */
export interface ActorSidecarMetrics {
  /** Gauge of the actors in each sidecar phase. */
  readonly phases: {
    readonly gauge: MetricNameWithOneLabel<GaugeName>;
    /** Names of all phases; the metrics show a phase even while no actor is in it. */
    readonly names: readonly string[];
    /** Phase name under which passivated actors that wait for their due time are counted. */
    readonly passivated: string;
  };
  /**
   * Counter of actors that ended, by reason; every reason is exported from the start with 0, so that the first end is
   * seen as a change.
   */
  readonly ends: { readonly counter: MetricNameWithOneLabel<CounterName>; readonly reasons: readonly string[] };
}

export interface ActorKindDefinition<S extends JsonObject, V = undefined, Services = unknown> {
  readonly name: string;
  /** Sentence that describes the kind in docs/state-machines.md. */
  readonly summary?: string;
  /**
   * State machine of the actor's phases. Its events are the names of commands; a state accepts a command if it has a
   * transition for it (a transition without target needs an action: `STAY_IN_PHASE_TRANSITION`) and refuses all others
   * with `refusalByPhase`. The field `phase` of the stored state names the present phase. Absent: the actor accepts
   * every command at any time.
   */
  readonly phaseMachine?: AnyStateMachine;
  /** Makes the reply of a phase to a command that the phase doesn't accept, by name of the phase. */
  readonly refusalByPhase?: Readonly<Record<string, (key: ActorKey) => ActorReply>>;
  readonly commands: Readonly<Record<string, AnyCommandDefinition<S, V, Services>>>;
  /** State that an actor without a stored root begins with. */
  makeInitialState(key: ActorKey): S;
  /** Completes a state that an older version of the program stored. Returns the same object if nothing is missing. */
  upgrade?(stored: S): S;
  /**
   * Makes the in-memory companion of an actor. @param ownedSince wall time since which this host has owned the actor's
   * partition, ms
   */
  makeVolatile(key: ActorKey, state: S, parts: ReadonlyMap<string, Json>, ownedSince: number): V;
  /**
   * Undoes the handler's changes of `volatile`, because an event of the outcome is too large for the log. Absent: an
   * actor with a `volatile` is reloaded instead.
   */
  takeBack?(view: ActorView<S, V>, outcome: CommandOutcome<S>): void;
  /** Makes the reply to a command for an actor that doesn't exist (commands without `creates`). */
  makeMissingActorReply(key: ActorKey): ActorReply;
  /** True if handlers and inputs use the realm's directory replica. */
  readonly usesDirectory: boolean;
  /** Prefixes of the names of parts that are loaded with the actor. */
  readonly loadedParts: readonly string[];
  /** Milliseconds without a command after which the actor is passivated, unless the host's own limit is shorter. */
  readonly idleTimeoutMs?: number;
  /** True if the loaded parts are deliveries (mails, webhook calls) that wait to be made; for metrics. */
  readonly partsAreDeliveries?: true;
  /** True if the command `due` calls services outside of the server, such as a mail server. */
  readonly dueReachesOutside?: true;
  /**
   * Longest time ahead for which the actor is woken, ms. If a handler asks for a later time, the actor is woken then
   * and asks again. So a later time in the Store is from a clock that was ahead, and the actor is woken at once.
   * Absent: the actor is woken at any time.
   */
  readonly maxDueDelayMs?: number;
  readonly quota?: ActorQuota<Services>;
  readonly sidecarMetrics?: ActorSidecarMetrics;
  readonly sidecarCommands?: readonly string[];
  sidecar?(handle: ActorActivationHandle<S, V>, sources: CommandInputSources<Services>): ActorSidecar;
}

/**
 * `maxDueDelayMs` of kinds whose timed work may be days away, ms: their actors look at all their times at least once a
 * day.
 */
export const MAX_ACTOR_SLEEP_MS = 86_400_000;

/** Due time of an actor, wall time, ms; now if the time was stored while the clock was ahead. */
export const correctDueTime = (
  { maxDueDelayMs = Number.POSITIVE_INFINITY }: Pick<AnyActorKindDefinition, 'maxDueDelayMs'>,
  due: number | null,
  now: number,
): number | null => (due === null ? null : correctTimeFromAhead(due, maxDueDelayMs, now));

/** The time for which the actor is woken, wall time, ms, when a handler asks for `due`. */
export const boundDueTime = (
  { maxDueDelayMs = Number.POSITIVE_INFINITY }: Pick<AnyActorKindDefinition, 'maxDueDelayMs'>,
  due: number | null,
  now: number,
): number | null => (due === null ? null : Math.min(due, now + maxDueDelayMs));

// biome-ignore lint/suspicious/noExplicitAny: a registry of kinds of all shapes
export type AnyActorKindDefinition<Services = any> = ActorKindDefinition<any, any, Services>;
