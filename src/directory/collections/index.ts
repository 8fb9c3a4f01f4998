export { Collection } from './collection.js';
export { Preferences } from './preferences.js';
export { Profiles } from './profiles.js';
export { foldName, Streams } from './streams.js';
export { Users } from './users.js';
