import { signal } from '@preact/signals-core';
import { t } from './lookup.js';

/** Whether times are written as 14:05, not 2:05 PM; undefined: as usual in the language. */
export const uses24HourClock = signal<boolean | undefined>(undefined);

/** A time zone that differs from the browser's (zone.ts). */
export interface DisplayZone {
  readonly name: string;
  /** The time on a clock in the zone, as if it were UTC. */
  toWallClockMs(ms: number): number;
}

/** The time zone of all times on screen; undefined: the browser's. */
export const displayZone = signal<DisplayZone | undefined>(undefined);

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const BYTE_UNITS = ['B', 'KB', 'MB', 'GB'] as const;

let currentFormatLocale = 'en';
/** Formatters are cached until the language changes, since making one takes 50 µs. */
let dateFormatByKey = new Map<string, Intl.DateTimeFormat>();
/** Made at their first use: together they took a tenth of the time to the first view. */
let numberFormat: Intl.NumberFormat | undefined;
let nameCollator: Intl.Collator | undefined;
let listFormat: Intl.ListFormat | undefined;

/** Sets the language of all formats. */
export function setFormatLocale(tag: string): void {
  currentFormatLocale = tag;
  dateFormatByKey = new Map();
  numberFormat = undefined;
  nameCollator = undefined;
  listFormat = undefined;
}

/** Language and region of all formats. */
export const getFormatLocale = (): string => currentFormatLocale;

function formatDateWithOptions(
  ms: number,
  name: string,
  options: Intl.DateTimeFormatOptions,
  timeZone = displayZone.value?.name,
): string {
  const is24Hour = uses24HourClock.value;
  // With `hour12`, some browsers show "0:30 PM" or "24:30".
  const hourCycle = is24Hour === undefined ? undefined : is24Hour ? 'h23' : 'h12';
  const key = `${name}${hourCycle}${timeZone}`;
  let format = dateFormatByKey.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(currentFormatLocale, {
      ...options,
      timeZone,
      ...(options.hour && { hourCycle }),
    });
    dateFormatByKey.set(key, format);
  }
  return format.format(ms);
}

/** A date whose UTC fields are those of a local clock. */
const toLocalClock = (ms: number): Date =>
  new Date(displayZone.value?.toWallClockMs(ms) ?? ms - new Date(ms).getTimezoneOffset() * MINUTE_MS);

/** Local days since a fixed day: two moments of one calendar day give the same number. */
export const getLocalDayNumber = (ms: number): number => Math.floor(toLocalClock(ms).getTime() / DAY_MS);

/** Number of the current day. Formats of relative days read this signal, so that its change renders them again. */
const currentDayNumber = signal(getLocalDayNumber(Date.now()));

/** Updates the day from which relative days count. Reads a signal. @returns the time until midnight, ms */
export function updateCurrentDay(): number {
  const now = Date.now();
  currentDayNumber.value = getLocalDayNumber(now);
  return DAY_MS - (toLocalClock(now).getTime() % DAY_MS);
}

function readNow(): number {
  void currentDayNumber.value;
  return Date.now();
}

const isSameYear = (a: number, b: number): boolean =>
  toLocalClock(a).getUTCFullYear() === toLocalClock(b).getUTCFullYear();

const TIME_OPTIONS = { hour: 'numeric', minute: '2-digit' } as const;

/** The time in another zone. @throws RangeError for a zone that this browser does not know */
export const formatTimeInZone = (ms: number, zone: string): string =>
  formatDateWithOptions(ms, 'time', TIME_OPTIONS, zone);

/** Languages whose times are formatted here, without the browser. */
const PLAIN_TIME_LOCALES: ReadonlySet<string> = new Set(['en', 'en-US']);

/**
 * 14:05, or 2:05 PM. The first format of a page takes the browser 70 ms on a phone, and every view has times, so those
 * of the most frequent language are written here.
 */
export function formatTimeOfDay(ms: number): string {
  const is24Hour = uses24HourClock.value;
  if (is24Hour === undefined || !PLAIN_TIME_LOCALES.has(currentFormatLocale))
    return formatDateWithOptions(ms, 'time', TIME_OPTIONS);
  const date = toLocalClock(ms);
  const [hour, minute] = [date.getUTCHours(), String(date.getUTCMinutes()).padStart(2, '0')];
  if (is24Hour) return `${String(hour).padStart(2, '0')}:${minute}`;
  return `${hour % 12 || 12}:${minute}\u202f${hour < 12 ? 'AM' : 'PM'}`;
}

const DATE_OPTIONS = { day: 'numeric', month: 'long', year: 'numeric' } as const;

/** 23 November 2026 */
export const formatDate = (ms: number): string => formatDateWithOptions(ms, 'date', DATE_OPTIONS);

/** 23 November 2026, for the text 2026-11-23: that day in every time zone. Other texts stay as they are. */
export function formatCalendarDay(day: string): string {
  // A date without a time is parsed as midnight in UTC.
  const ms = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : Number.NaN;
  return Number.isNaN(ms) ? day : formatDateWithOptions(ms, 'date', DATE_OPTIONS, 'UTC');
}

/** Monday, 23 November 2026, 14:05: for titles of time stamps. */
export const formatFullDateTime = (ms: number): string =>
  formatDateWithOptions(ms, 'full', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  });

/** 14:05, Yesterday, Mon (of the last six days), 3 May, or 3 May 2024: for rows of lists. */
export function formatShortTime(ms: number, now = readNow()): string {
  const days = getLocalDayNumber(now) - getLocalDayNumber(ms);
  if (days === 0) return formatTimeOfDay(ms);
  if (days === 1) return t('day.yesterday');
  if (days > 1 && days < 7) return formatDateWithOptions(ms, 'short-weekday', { weekday: 'short' });
  const isThisYear = isSameYear(ms, now);
  return formatDateWithOptions(ms, `short ${isThisYear}`, {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
}

/** Today, Yesterday, Monday (of the last six days), 3 May, or 3 May 2024: for headings of days. */
export function formatRelativeDay(ms: number, now = readNow()): string {
  const days = getLocalDayNumber(now) - getLocalDayNumber(ms);
  if (days === 0) return t('day.today');
  if (days === 1) return t('day.yesterday');
  if (days > 1 && days < 7) return formatDateWithOptions(ms, 'weekday', { weekday: 'long' });
  if (isSameYear(ms, now)) {
    return formatDateWithOptions(ms, 'day', { day: 'numeric', month: 'long' });
  }
  return formatDate(ms);
}

export const formatNumber = (n: number): string => {
  // All languages of the client write small numbers in these digits, and the first view has no others.
  if (Number.isInteger(n) && n >= 0 && n < 1_000) return String(n);
  numberFormat ??= new Intl.NumberFormat(currentFormatLocale);
  return numberFormat.format(n);
};

/** 1.4 MB, by powers of 1024 as upload limits count. */
export function formatByteSize(bytes: number): string {
  let unit = 0;
  let value = bytes;
  for (; value >= 1024 && unit < BYTE_UNITS.length - 1; unit++) value /= 1024;
  return `${formatNumber(unit > 0 && value < 10 ? Math.round(value * 10) / 10 : Math.round(value))} ${BYTE_UNITS[unit]}`;
}

/** A, B and C */
export const formatNameList = (names: readonly string[]): string => {
  listFormat ??= new Intl.ListFormat(currentFormatLocale, { type: 'conjunction' });
  return listFormat.format(names);
};

/** Order of names in lists: without case, numbers by value. */
export const compareNames = (a: string, b: string): number => {
  nameCollator ??= new Intl.Collator(currentFormatLocale, { sensitivity: 'base', numeric: true });
  return nameCollator.compare(a, b);
};
