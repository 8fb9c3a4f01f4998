import { effect, signal } from '@preact/signals';
import { core as client } from '../client/index.js';
import type { Core } from '../core/index.js';

export type Theme = 'auto' | 'light' | 'dark' | 'contrast';

/** Values of the setting `color_scheme`, which all clients of the account share. */
const COLOR_SCHEME_BY_THEME = { auto: 1, dark: 2, light: 3 } as const;
const THEME_STORAGE_KEY = 'theme';

/** The theme of this browser. High contrast is not a setting of the account. */
export const currentTheme = signal<Theme>('auto');

function readStoredTheme(): Theme {
  try {
    const text = localStorage.getItem(THEME_STORAGE_KEY);
    if (text === 'light' || text === 'dark' || text === 'contrast') return text;
  } catch {
    // Without storage, the preference of the system counts until the settings of the account are loaded.
  }
  return 'auto';
}

/** Applies the theme that this browser had last, then that of the account's settings. */
export function startApplyingTheme(core: Core): void {
  currentTheme.value = readStoredTheme();
  effect(() => {
    const scheme = core.state.me.settings.value.color_scheme;
    if (scheme === undefined || core.state.me.id === 0 || currentTheme.peek() === 'contrast') return;
    currentTheme.value =
      scheme === COLOR_SCHEME_BY_THEME.dark ? 'dark' : scheme === COLOR_SCHEME_BY_THEME.light ? 'light' : 'auto';
  });
  effect(() => {
    const { dataset } = document.documentElement;
    if (currentTheme.value === 'auto') delete dataset.theme;
    else dataset.theme = currentTheme.value;
    try {
      localStorage.setItem(THEME_STORAGE_KEY, currentTheme.value);
    } catch {
      // Without storage the theme is lost with the page.
    }
  });
}

/** Chooses a theme, for this browser at once and for the account. */
export async function applyAndSaveTheme(core: Core, wanted: Theme): Promise<void> {
  currentTheme.value = wanted;
  if (core.state.me.id === 0 || wanted === 'contrast') return;
  await core.api.patch('/settings', { color_scheme: COLOR_SCHEME_BY_THEME[wanted] });
}

/** Chooses a theme by the value of the setting `color_scheme`. */
export async function applyAndSaveColorScheme(value: number): Promise<void> {
  await applyAndSaveTheme(
    client,
    value === COLOR_SCHEME_BY_THEME.dark ? 'dark' : value === COLOR_SCHEME_BY_THEME.light ? 'light' : 'auto',
  );
}
