export * from './accounts.js';
export * from './bots.js';
export * from './emoji.js';
export * from './groups.js';
export * from './organization.js';
export * from './profiles.js';
export * from './streams.js';
