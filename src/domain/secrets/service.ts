export interface PasswordStrengthEstimator {
  /**
   * True for a password with at least 6 characters that takes at least 10,000 guesses, by estimate (users.md).
   * @param related texts that an attacker would try first
   */
  strongEnough(password: string, related: readonly string[]): Promise<boolean>;
}
