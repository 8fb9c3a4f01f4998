/** How hard a password is to guess, by zxcvbn's estimate (users.md § POST /users). */
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import type { PasswordStrength } from './service.js';

const MIN_LENGTH = 6;
const MIN_GUESSES = 10_000;
/** zxcvbn's time grows faster than the length; what is longer is strong enough by its first characters, or not. */
const LOOKED_AT = 100;

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

export const passwordStrength: PasswordStrength = {
  strongEnough(password, related) {
    if ([...password].length < MIN_LENGTH) return false;
    return zxcvbn.check(password.slice(0, LOOKED_AT), [...related]).guesses >= MIN_GUESSES;
  },
};
