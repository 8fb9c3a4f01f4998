import { signal } from '@preact/signals-core';
import { t } from './lookup.js';

/** Whether the reader wants 14:05 (true), 2:05 PM (false) or the language's habit (undefined). */
export const twentyFourHours = signal<boolean | undefined>(undefined);

const DAY_MS = 86_400_000;
const UNITS = ['B', 'KB', 'MB', 'GB'] as const;

let locale = 'en';
/** Formatters are expensive to make (some 50 µs) and kept by their options until the language changes. */
let made = new Map<string, Intl.DateTimeFormat>();
let numbers = new Intl.NumberFormat('en');
let collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
let relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
let lists = new Intl.ListFormat('en', { type: 'conjunction' });

/** Makes all formats those of a language. */
export function formatFor(tag: string): void {
  locale = tag;
  made = new Map();
  numbers = new Intl.NumberFormat(tag);
  collator = new Intl.Collator(tag, { sensitivity: 'base', numeric: true });
  relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
  lists = new Intl.ListFormat(tag, { type: 'conjunction' });
}

function write(ms: number, name: string, options: Intl.DateTimeFormatOptions): string {
  const hour12 = twentyFourHours.value === undefined ? undefined : !twentyFourHours.value;
  const key = `${name}${hour12}`;
  let format = made.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(locale, hour12 === undefined || !options.hour ? options : { ...options, hour12 });
    made.set(key, format);
  }
  return format.format(ms);
}

/** Local days since a fixed day: two moments of one calendar day give the same number. */
const dayOf = (ms: number): number => {
  const date = new Date(ms);
  return Math.round(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS);
};

/** 14:05 */
export const formatTime = (ms: number): string => write(ms, 'time', { hour: 'numeric', minute: '2-digit' });

/** 23 November 2026 */
export const formatDate = (ms: number): string => write(ms, 'date', { day: 'numeric', month: 'long', year: 'numeric' });

/** Monday, 23 November 2026, 14:05: for titles of time stamps. */
export const formatDateTime = (ms: number): string =>
  write(ms, 'full', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  });

/** Today, Yesterday, Monday (of the last six days), 3 May, or 3 May 2024: for headings of days. */
export function formatDay(ms: number, now = Date.now()): string {
  const days = dayOf(now) - dayOf(ms);
  if (days === 0) return t('day.today');
  if (days === 1) return t('day.yesterday');
  if (days > 1 && days < 7) return write(ms, 'weekday', { weekday: 'long' });
  if (new Date(ms).getFullYear() === new Date(now).getFullYear()) {
    return write(ms, 'day', { day: 'numeric', month: 'long' });
  }
  return formatDate(ms);
}

/** 5 minutes ago, yesterday, 3 weeks ago. */
export function formatAgo(ms: number, now = Date.now()): string {
  const minutes = Math.round((ms - now) / 60_000);
  if (minutes > -1 && minutes < 1) return t('day.now');
  if (Math.abs(minutes) < 60) return relative.format(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  if (Math.abs(hours) < 24 && dayOf(ms) === dayOf(now)) return relative.format(hours, 'hour');
  const days = dayOf(ms) - dayOf(now);
  if (Math.abs(days) < 14) return relative.format(days, 'day');
  if (Math.abs(days) < 60) return relative.format(Math.round(days / 7), 'week');
  if (Math.abs(days) < 730) return relative.format(Math.round(days / 30.4), 'month');
  return relative.format(Math.round(days / 365.25), 'year');
}

export const formatNumber = (n: number): string => numbers.format(n);

/** 1.4 MB, by powers of 1024 as upload limits count. */
export function formatSize(bytes: number): string {
  let unit = 0;
  let value = bytes;
  for (; value >= 1024 && unit < UNITS.length - 1; unit++) value /= 1024;
  return `${numbers.format(unit > 0 && value < 10 ? Math.round(value * 10) / 10 : Math.round(value))} ${UNITS[unit]}`;
}

/** A, B and C */
export const formatList = (names: readonly string[]): string => lists.format(names);

/** Order of names in lists: without case, numbers by value. */
export const compareNames = (a: string, b: string): number => collator.compare(a, b);
