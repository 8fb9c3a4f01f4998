export { DirectoryRecordCollection } from './collection.js';
export { DirectoryPreferenceCollection } from './preferences.js';
export { DirectoryProfileCollection } from './profiles.js';
export { DirectorySessionCollection } from './sessions.js';
export { DirectoryStreamCollection } from './streams.js';
export { DirectoryUserCollection } from './users.js';
