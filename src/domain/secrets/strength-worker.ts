/** A thread that judges the passwords that password-strength.ts sends it. */
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { serveJobs } from '#base/threads';

export interface StrengthJob {
  readonly password: string;
  readonly related: readonly string[];
}

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/** Estimated guesses. */
serveJobs(({ password, related }: StrengthJob): number => zxcvbn.check(password, [...related]).guesses);
