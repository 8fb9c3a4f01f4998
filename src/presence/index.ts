export * from './forms.js';
export * from './replica.js';
