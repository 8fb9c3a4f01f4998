/** Why answers may differ from the recorded ones. Everything else is a fault, here or of the recording. */
import type { Entry } from './entry.js';

/** Bots are made by operations that come later. */
export const NO_SUCH_ROLE = ['bot', 'webhook_bot', 'outgoing_bot'];

interface Reason {
  readonly why: string;
  readonly op?: string;
  /** Numbers in the recording. */
  readonly n?: readonly number[];
  readonly difference?: RegExp;
}

const REASONS: readonly Reason[] = [];

const used = new Set<Reason>();

export function reasonFor({ n, op }: Entry, difference: string): string | undefined {
  const found = REASONS.find(
    (one) =>
      (one.op === undefined || one.op === op) &&
      (one.n === undefined || one.n.includes(n)) &&
      (one.difference === undefined || one.difference.test(difference)),
  );
  if (found) used.add(found);
  return found?.why;
}

export const unusedReasons = (): string[] => REASONS.filter((one) => !used.has(one)).map((one) => JSON.stringify(one));
