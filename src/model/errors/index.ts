export { checkCount, checkLength, tooMany } from './bounds.js';
export type { ErrorName } from './catalogue/index.js';
export {
  ActorRefused,
  ApiError,
  apiError,
  type ErrorReply,
  type ErrorValues,
  PRODUCT,
  validationError,
} from './errors.js';
