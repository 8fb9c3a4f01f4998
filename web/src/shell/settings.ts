import { makeLazyComponent } from '../kit/index.js';
import { loadLaterTexts } from '../text/index.js';

/** Settings and profiles: one lazy chunk, with the texts that it needs. */
const loadSettingsChunk = async () => {
  const [views] = await Promise.all([import('../settings/index.js'), loadLaterTexts()]);
  return views;
};

export const LazySettingsView = makeLazyComponent(async () => (await loadSettingsChunk()).SettingsView);
export const LazyStreamsView = makeLazyComponent(async () => (await loadSettingsChunk()).StreamsView);
export const LazyOrganizationView = makeLazyComponent(async () => (await loadSettingsChunk()).OrganizationView);
export const LazyPersonView = makeLazyComponent(async () => (await loadSettingsChunk()).PersonView);
export const LazyPersonDialog = makeLazyComponent(async () => (await loadSettingsChunk()).PersonDialog);
