import { getFormatLocale, getLocalDayNumber } from './formats.js';
import { t } from './lookup.js';

function formatRelative(n: number, unit: Intl.RelativeTimeFormatUnit): string {
  return new Intl.RelativeTimeFormat(getFormatLocale(), { numeric: 'auto' }).format(n, unit);
}

/** 5 minutes ago, yesterday, 3 weeks ago. A file of its own, because the first view has none of these. */
export function formatRelativeTime(ms: number, now = Date.now()): string {
  const minutes = Math.round((ms - now) / 60_000);
  if (minutes > -1 && minutes < 1) return t('day.now');
  if (Math.abs(minutes) < 60) return formatRelative(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  if (Math.abs(hours) < 24 && getLocalDayNumber(ms) === getLocalDayNumber(now)) return formatRelative(hours, 'hour');
  const days = getLocalDayNumber(ms) - getLocalDayNumber(now);
  if (Math.abs(days) < 14) return formatRelative(days, 'day');
  if (Math.abs(days) < 60) return formatRelative(Math.round(days / 7), 'week');
  if (Math.abs(days) < 730) return formatRelative(Math.round(days / 30.4), 'month');
  return formatRelative(Math.round(days / 365.25), 'year');
}
