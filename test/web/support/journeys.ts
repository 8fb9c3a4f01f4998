/** Journeys that pass on both faces, by the names of their files. The others have only run on the embedded one. */
export const JOURNEYS_WITH_FACES: readonly string[] = [
  'core-state',
  'endings',
  'finding',
  'frame',
  'journey',
  'link-previews',
  'open-conversation',
  'spectators',
];
