/**
 * Journeys that run on either face, by the names of their files. Two people chat on both in every run
 * (journey.test.ts).
 */
export const JOURNEYS_WITH_FACES: readonly string[] = [
  'accessibility',
  'accounts',
  'core',
  'core-state',
  'endings',
  'everyday',
  'finding',
  'first-view',
  'frame',
  'hostile',
  'link-previews',
  'open-conversation',
  'pushes',
  'reading',
  'settings',
  'spectators',
  'staying',
  'touch',
  'writing',
];
