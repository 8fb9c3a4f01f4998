import { effect, signal } from '@preact/signals';
import { core as client } from '../client/index.js';
import type { Core } from '../core/index.js';

export type Theme = 'auto' | 'light' | 'dark' | 'contrast';

/** Values of the setting `color_scheme`, which all clients of the account share. */
const SCHEMES = { auto: 1, dark: 2, light: 3 } as const;
const KEY = 'theme';

/** The theme of this browser. Contrast is known here only: the setting of the account has no value for it. */
export const theme = signal<Theme>('auto');

function stored(): Theme {
  try {
    const text = localStorage.getItem(KEY);
    if (text === 'light' || text === 'dark' || text === 'contrast') return text;
  } catch {
    // Without storage the system decides until the settings of the account are known.
  }
  return 'auto';
}

/** Applies the theme that this browser had last, then that of the account's settings. */
export function startTheme(core: Core): void {
  theme.value = stored();
  effect(() => {
    const scheme = core.state.me.settings.value.color_scheme;
    if (scheme === undefined || core.state.me.id === 0 || theme.peek() === 'contrast') return;
    theme.value = scheme === SCHEMES.dark ? 'dark' : scheme === SCHEMES.light ? 'light' : 'auto';
  });
  effect(() => {
    const { dataset } = document.documentElement;
    if (theme.value === 'auto') delete dataset.theme;
    else dataset.theme = theme.value;
    try {
      localStorage.setItem(KEY, theme.value);
    } catch {
      // The theme holds until the page is left.
    }
  });
}

/** Chooses a theme, for this browser at once and for the account. */
export async function chooseTheme(core: Core, wanted: Theme): Promise<void> {
  theme.value = wanted;
  if (core.state.me.id === 0 || wanted === 'contrast') return;
  await core.api.patch('/settings', { color_scheme: SCHEMES[wanted] });
}

/** Chooses a theme by the value of the setting `color_scheme`. */
export async function chooseScheme(value: number): Promise<void> {
  await chooseTheme(client, value === SCHEMES.dark ? 'dark' : value === SCHEMES.light ? 'light' : 'auto');
}
