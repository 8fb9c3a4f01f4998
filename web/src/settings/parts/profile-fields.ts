import type { CustomProfileField } from '../../contract/index.js';

/** Types of an organization's own profile fields. */
export const PROFILE_FIELD_TYPE = {
  short: 1,
  long: 2,
  choice: 3,
  date: 4,
  link: 5,
  people: 6,
  account: 7,
  pronouns: 8,
} as const;

interface ProfileFieldOption {
  readonly key: string;
  readonly text: string;
}

/** The content of `field_data`, which is JSON. */
export function parseProfileFieldData({ field_data }: CustomProfileField): Readonly<Record<string, unknown>> {
  try {
    const data: unknown = JSON.parse(field_data || '{}');
    return typeof data === 'object' && data !== null ? { ...data } : {};
  } catch {
    return {};
  }
}

/** Options of a field that is a list of options, in their order. */
export function parseProfileFieldOptions(field: CustomProfileField): readonly ProfileFieldOption[] {
  return Object.entries(parseProfileFieldData(field))
    .map(([key, option]) => {
      const { text = '', order = 0 } = option as { readonly text?: string; readonly order?: string | number };
      return { key, text, order: Number(order) };
    })
    .sort((a, b) => a.order - b.order);
}
