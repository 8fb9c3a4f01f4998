/** Reasons of ends and failures in the runtime: closed union types, used in logs, metrics and tests. */

/** Reason why an activation left memory. */
export type ActivationStopReason =
  /** The actor was idle for longer than its idle timeout. */
  | 'passivated'
  /** The host hands the actor's partition over, or shuts down. */
  | 'drained'
  /**
   * The Store has another epoch or version: this host lost the partition, or an earlier write of unknown outcome
   * succeeded.
   */
  | 'fenced'
  /** A write to the Store failed with unknown outcome; the next activation reads the actual state. */
  | 'store-failed'
  /**
   * A handler or state machine threw an error, which is a bug. The next command starts a fresh activation from the
   * Store.
   */
  | 'crashed'
  /** The host's lease may have lapsed, so another host may own the partition. */
  | 'lapsed'
  /** The actor ended for good (a deleted or expired queue). */
  | 'ended';

/** Reason why an attempt to run a command failed, from its host or from the bus; 'none': there was no attempt. */
export type CommandFailureReason = CommandRetryReason | 'nobody' | 'timeout' | 'disconnected' | 'none';

/** Reason why a host did not execute a command. The sender may retry each of them with the same command id. */
export type CommandRetryReason =
  /** This host does not own the actor's partition. */
  | 'not-owner'
  /** The activation stopped before the command was answered, so the outcome is unknown. */
  | 'moved'
  /** The actor's mailbox is full. */
  | 'busy'
  /** The Store or the log can't be reached: the command was not run, or its outcome is unknown. */
  | 'unavailable'
  /** The command depends on an earlier decision whose follow-up commands have not run yet. */
  | 'early';
