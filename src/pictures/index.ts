export * from './names.js';
export * from './organization.js';
