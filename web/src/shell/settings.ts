import { lazy } from '../kit/index.js';
import { addLaterTexts } from '../text/index.js';

/** Settings and profiles: one lazy chunk, with the texts that it needs. */
const load = async () => {
  const [views] = await Promise.all([import('../settings/index.js'), addLaterTexts()]);
  return views;
};

export const SettingsRoute = lazy(async () => (await load()).SettingsView);
export const StreamsRoute = lazy(async () => (await load()).StreamsView);
export const OrganizationRoute = lazy(async () => (await load()).OrganizationView);
export const PersonRoute = lazy(async () => (await load()).PersonView);
export const PersonDialog = lazy(async () => (await load()).PersonDialog);
