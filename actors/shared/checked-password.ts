import type { JsonObject } from '#base';

/** Answer of `check-password`. */
export interface CheckedPassword extends JsonObject {
  readonly correct: boolean;
  /** Milliseconds until another attempt is allowed; above 0: this one was not looked at. */
  readonly wait: number;
}
