export { RecordCollection } from './collection.js';
export { PreferenceCollection } from './preferences.js';
export { ProfileCollection } from './profiles.js';
export { SessionCollection } from './sessions.js';
export { StreamCollection } from './streams.js';
export { UserCollection } from './users.js';
