import { makeLazyComponent } from '../kit/index.js';

/** Settings and profiles: one lazy chunk. */
const loadSettingsChunk = () => import('../settings/index.js');

export const LazySettingsView = makeLazyComponent(async () => (await loadSettingsChunk()).SettingsView);
export const LazyStreamsView = makeLazyComponent(async () => (await loadSettingsChunk()).StreamsView);
export const LazyOrganizationView = makeLazyComponent(async () => (await loadSettingsChunk()).OrganizationView);
export const LazyPersonView = makeLazyComponent(async () => (await loadSettingsChunk()).PersonView);
export const LazyPersonDialog = makeLazyComponent(async () => (await loadSettingsChunk()).PersonDialog);
