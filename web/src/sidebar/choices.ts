import { signal } from '@preact/signals';
import type { Section } from './rows.js';

const KEY = 'sidebar-closed';
/** Sections that are closed until the reader opens them. */
const AT_FIRST = 'inactive,muted';

/** Choices of the reader: open sections and streams, filters. Closed sections survive the page. */
export const filter = signal('');
export const closed = signal<ReadonlySet<Section>>(loadClosed());
export const opened = signal<ReadonlySet<number>>(new Set());
export const allTopics = signal<ReadonlySet<number>>(new Set());
export const allDirects = signal(false);
export const peopleFilter = signal('');

function loadClosed(): ReadonlySet<Section> {
  let text = AT_FIRST;
  try {
    text = localStorage.getItem(KEY) ?? AT_FIRST;
  } catch {
    // A browser without storage begins with the default each time.
  }
  return new Set(text.split(',') as Section[]);
}

const toggled = <T>(set: ReadonlySet<T>, item: T, on: boolean): ReadonlySet<T> => {
  const next = new Set(set);
  if (on) next.add(item);
  else next.delete(item);
  return next;
};

export function openSection(section: Section, open: boolean): void {
  closed.value = toggled(closed.peek(), section, !open);
  try {
    localStorage.setItem(KEY, [...closed.peek()].join());
  } catch {
    // Without storage the choice holds until the page is left.
  }
}

export function openStream(stream: number, open: boolean): void {
  opened.value = toggled(opened.peek(), stream, open);
  if (!open) allTopics.value = toggled(allTopics.peek(), stream, false);
}

export function showAllTopics(stream: number): void {
  opened.value = toggled(opened.peek(), stream, true);
  allTopics.value = toggled(allTopics.peek(), stream, true);
}
