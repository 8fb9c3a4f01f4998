export { Secrets } from './secrets.js';
export type { PasswordStrength } from './service.js';
