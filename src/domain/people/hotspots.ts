/** Hints that clients show to new users, one after the other (users.md § Small operations). */
import type { JsonObject } from '#base';

interface Hotspot extends JsonObject {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Time that clients wait before they show the hint, seconds. */
  readonly delay: number;
}

/** The hints, in the order in which they are shown. */
const HOTSPOTS_IN_ORDER: readonly Hotspot[] = [
  {
    name: 'intro_streams',
    title: 'Find a stream',
    description: 'Streams are where groups of people talk. More of them are listed under the gear icon.',
    delay: 0.5,
  },
  {
    name: 'intro_topics',
    title: 'Follow a topic',
    description: 'Each message in a stream has a topic, so that several conversations do not get mixed up.',
    delay: 0.5,
  },
  {
    name: 'intro_gear',
    title: 'Make it yours',
    description: 'Your settings and those of the organization are behind this icon.',
    delay: 0.5,
  },
  {
    name: 'intro_compose',
    title: 'Say something',
    description: 'Begin a conversation here. A new topic is always welcome.',
    delay: 0.5,
  },
];

export const isHotspotName = (name: string): boolean => HOTSPOTS_IN_ORDER.some((hotspot) => hotspot.name === name);

/** A user's progress with the hints: those that the user has seen. */
export interface TutorialState {
  readonly seen?: readonly string[];
  readonly finished?: boolean;
}

/** The hints to show next: at most one. */
export function listNextHotspots({ seen = [], finished = false }: TutorialState): readonly Hotspot[] {
  if (finished) return [];
  return HOTSPOTS_IN_ORDER.filter(({ name }) => !seen.includes(name)).slice(0, 1);
}
