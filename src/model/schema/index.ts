export { compileValidator, type Validator } from './validate.js';
