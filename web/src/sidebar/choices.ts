import { signal } from '@preact/signals';
import type { SidebarSection } from './rows.js';

const CLOSED_SECTIONS_STORAGE_KEY = 'sidebar-closed';
/** Sections that are closed until the reader opens them. */
const DEFAULT_CLOSED_SECTIONS = 'inactive,muted';

/** Choices of the reader: open sections and streams, filters. Which sections are closed is stored in the browser. */
export const sidebarFilterText = signal('');
export const closedSections = signal<ReadonlySet<SidebarSection>>(readStoredClosedSections());
export const openedStreamIds = signal<ReadonlySet<number>>(new Set());
export const streamIdsShowingAllTopics = signal<ReadonlySet<number>>(new Set());
export const showsAllDirects = signal(false);
export const peopleFilterText = signal('');

function readStoredClosedSections(): ReadonlySet<SidebarSection> {
  let text = DEFAULT_CLOSED_SECTIONS;
  try {
    text = localStorage.getItem(CLOSED_SECTIONS_STORAGE_KEY) ?? DEFAULT_CLOSED_SECTIONS;
  } catch {
    // A browser without storage begins with the default each time.
  }
  return new Set(text.split(',') as SidebarSection[]);
}

const copyWithItemAddedOrRemoved = <T>(set: ReadonlySet<T>, item: T, on: boolean): ReadonlySet<T> => {
  const next = new Set(set);
  if (on) next.add(item);
  else next.delete(item);
  return next;
};

export function setSectionOpen(section: SidebarSection, open: boolean): void {
  closedSections.value = copyWithItemAddedOrRemoved(closedSections.peek(), section, !open);
  try {
    localStorage.setItem(CLOSED_SECTIONS_STORAGE_KEY, [...closedSections.peek()].join());
  } catch {
    // Without storage the choice holds until the page is left.
  }
}

export function setStreamOpen(stream: number, open: boolean): void {
  openedStreamIds.value = copyWithItemAddedOrRemoved(openedStreamIds.peek(), stream, open);
  if (!open)
    streamIdsShowingAllTopics.value = copyWithItemAddedOrRemoved(streamIdsShowingAllTopics.peek(), stream, false);
}

export function openStreamWithAllTopics(stream: number): void {
  openedStreamIds.value = copyWithItemAddedOrRemoved(openedStreamIds.peek(), stream, true);
  streamIdsShowingAllTopics.value = copyWithItemAddedOrRemoved(streamIdsShowingAllTopics.peek(), stream, true);
}
