export { webhookKind } from './kind.js';
