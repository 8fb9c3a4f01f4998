/** Worker thread of password-strength.ts. */
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { serveJobs } from '#base/threads';

export interface StrengthJob {
  readonly password: string;
  readonly related: readonly string[];
}

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/** Answers each job with the estimated number of guesses for a password. */
serveJobs(({ password, related }: StrengthJob): number => zxcvbn.check(password, [...related]).guesses);
