export interface PasswordStrengthChecker {
  /**
   * True for a password with at least 6 characters that takes at least 10,000 guesses, by estimate (users.md).
   * @param related texts that an attacker would try first
   */
  isStrongEnough(password: string, related: readonly string[]): Promise<boolean>;
}
