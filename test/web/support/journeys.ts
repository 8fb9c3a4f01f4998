/**
 * Journeys that pass on either face, by the names of their files. Two people chat on both in every run
 * (journey.test.ts). The others have only run on the embedded face.
 */
export const JOURNEYS_WITH_FACES: readonly string[] = [
  'core-state',
  'endings',
  'finding',
  'frame',
  'link-previews',
  'open-conversation',
  'spectators',
];
