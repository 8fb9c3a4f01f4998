export { Collection } from './collection.js';
export { Preferences } from './preferences.js';
export { Profiles } from './profiles.js';
export { Sessions } from './sessions.js';
export { Streams } from './streams.js';
export { Users } from './users.js';
