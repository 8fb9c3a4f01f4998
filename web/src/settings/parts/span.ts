import { t } from '../../text/index.js';

const TIME_UNITS = [
  [86_400, 'settings.days'],
  [3_600, 'settings.hours'],
  [60, 'settings.minutes'],
  [1, 'settings.seconds'],
] as const;

/** @returns a span of time in the largest unit that writes it whole: "10 minutes" */
export function formatTimeSpan(value: number, unit: 'seconds' | 'days'): string {
  const seconds = unit === 'days' ? value * 86_400 : value;
  const [size, key] = TIME_UNITS.find(([length]) => seconds % length === 0) ?? TIME_UNITS[3];
  return t(key, { n: seconds / size });
}
