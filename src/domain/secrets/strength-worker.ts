/** Worker thread of password-strength.ts. */
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { serveThreadPoolJobs } from '#base/threads';

export interface PasswordStrengthJob {
  readonly password: string;
  readonly related: readonly string[];
}

const guessEstimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/** Answers each job with the estimated number of guesses for a password. */
serveThreadPoolJobs(
  ({ password, related }: PasswordStrengthJob): number => guessEstimator.check(password, [...related]).guesses,
);
