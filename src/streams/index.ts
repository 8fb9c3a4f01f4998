export * from './access.js';
export { pickColor } from './colors.js';
export * from './kinds.js';
export * from './membership.js';
export * from './names.js';
export * from './present-stream.js';
export * from './public-access.js';
export { presentStreamGroups } from './stream-groups.js';
export * from './user-topics.js';
