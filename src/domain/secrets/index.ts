export { attemptTooEarly, waitForAttempt, withFailure, wrongPassword } from './login-attempts.js';
export { loginGuardOf } from './login-guard.js';
export { type MailLink, type MailLinkPurpose, openLink, sealLink } from './mail-links.js';
export { PasswordThread } from './password-strength.js';
export { Secrets } from './secrets.js';
export type { PasswordStrength } from './service.js';
