/** How much memory a process gives to messages that it keeps as they are stored. */
import { totalmem } from 'node:os';

const SHARE = 64;
const LEAST_MIB = 16;
const MOST_MIB = 128;

/**
 * MiB of one of two generations, so at most a thirty-second of the memory, and 256 MiB.
 *
 * @param bytes that the process may use
 */
export const keptMib = (bytes: number): number =>
  Math.max(LEAST_MIB, Math.min(MOST_MIB, Math.floor(bytes / SHARE / 1_048_576)));

/** Bytes that this process may use: of the machine, or what its container has. */
export function usableMemory(): number {
  const limit = process.constrainedMemory();
  // Without a limit it is 0, or a number that no machine has.
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
