export interface PasswordStrengthEstimator {
  /**
   * True with at least 6 characters and 10,000 estimated guesses (users.md).
   * @param related texts that an attacker would try first
   */
  strongEnough(password: string, related: readonly string[]): Promise<boolean>;
}
