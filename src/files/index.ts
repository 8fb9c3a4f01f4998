export * from './limits.js';
export * from './names.js';
export * from './serving.js';
export * from './temporary.js';
