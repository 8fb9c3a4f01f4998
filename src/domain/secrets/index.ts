export { tooManyAttempts, waitForAttempt, withFailure, wrongPassword } from './login-attempts.js';
export { type MailLink, type MailLinkPurpose, openLink, sealLink } from './mail-links.js';
export { PasswordThread } from './password-strength.js';
export { Secrets } from './secrets.js';
export type { PasswordStrength } from './service.js';
export { strangerOf } from './strangers.js';
