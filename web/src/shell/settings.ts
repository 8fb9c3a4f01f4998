import { lazy } from '../kit/index.js';
import { loadLaterTexts } from '../text/index.js';

/** Settings and profiles: one lazy chunk, with the texts that it needs. */
const loadSettingsChunk = async () => {
  const [views] = await Promise.all([import('../settings/index.js'), loadLaterTexts()]);
  return views;
};

export const LazySettingsView = lazy(async () => (await loadSettingsChunk()).SettingsView);
export const LazyStreamsView = lazy(async () => (await loadSettingsChunk()).StreamsView);
export const LazyOrganizationView = lazy(async () => (await loadSettingsChunk()).OrganizationView);
export const LazyPersonView = lazy(async () => (await loadSettingsChunk()).PersonView);
export const LazyPersonDialog = lazy(async () => (await loadSettingsChunk()).PersonDialog);
