export * from './ids.js';
export * from './json.js';
