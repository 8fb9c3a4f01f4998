/** Why things end or are refused: closed unions, used in logs, metrics and tests. */

/** Why an activation left memory. */
export type StopReason =
  /** Idle for long enough. */
  | 'passivated'
  /** The host hands its partition over, or shuts down. */
  | 'drained'
  /** Another epoch or version is in the Store: we are not the owner any more, or an unknown write did happen. */
  | 'fenced'
  /** A Store write failed with unknown outcome; the next activation finds out. */
  | 'store-failed'
  /** A handler or machine threw: a bug. The next command starts a fresh activation from the Store. */
  | 'crashed'
  /** The lease may have lapsed. */
  | 'lapsed'
  /** The actor ended for good (a deleted or expired queue). */
  | 'ended';

/** Why an attempt at a command failed: what its host said, or the bus; 'none': there was no attempt. */
export type CommandFailure = RetryReason | 'nobody' | 'timeout' | 'disconnected' | 'none';

/** Why a host did not execute a command; the sender may retry all of them under the same command id. */
export type RetryReason =
  /** This host does not own the partition (any more, or yet). */
  | 'not-owner'
  /** The activation was dropped under the command: outcome unknown. */
  | 'moved'
  /** The mailbox is full. */
  | 'busy'
  /** The Store or the log cannot be reached: outcome unknown. */
  | 'unavailable'
  /** What was decided before, and the command builds on, is not carried out yet. */
  | 'early';
