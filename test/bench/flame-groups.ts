/** Groups of frames in flame graphs: each has a colour in the graph and a column in the table of shares. */
import type { Frame } from './flame-tree.js';

export interface FrameGroup {
  readonly label: string;
  readonly colour: string;
  /** Pattern for the folder and the name of a frame, with a space between. */
  readonly pattern: RegExp;
}

/** A frame belongs to the first group whose pattern it matches. */
export const GROUPS: readonly FrameGroup[] = [
  { label: 'garbage collection', colour: '#9e9e9e', pattern: /\(garbage collector\)/ },
  { label: 'HTTP and API', colour: '#7fb3ff', pattern: /^src\/frontend\/(http|gateway|api|limits) / },
  { label: 'runtime', colour: '#ffb74d', pattern: /^src\/(runtime|ports\/placement|base\/clock|base|model) / },
  { label: 'bus', colour: '#ffe082', pattern: /^(src\/ports\/bus|nats|nkeys\.js|@nats-io\/\S+) / },
  { label: 'store and log', colour: '#a1c181', pattern: /^src\/ports\/(store|log|blobs) / },
  { label: 'lmdb', colour: '#6a994e', pattern: /^lmdb / },
  { label: 'mongodb', colour: '#52796f', pattern: /^(mongodb|bson) / },
  { label: 'msgpackr', colour: '#ef9a9a', pattern: /^msgpackr/ },
  { label: 'delivery', colour: '#ce93d8', pattern: /^(src\/delivery|actors\/event-queue) / },
  { label: 'actors and domain', colour: '#80cbc4', pattern: /^(actors|src)\// },
  { label: 'Node and native', colour: '#d7ccc8', pattern: /^(node:\*|\(native\)|) / },
  { label: 'other modules', colour: '#f48fb1', pattern: /./ },
];

/** @returns the index of a frame's group in `GROUPS` */
export const groupOf = ({ folder, name }: Pick<Frame, 'folder' | 'name'>): number =>
  GROUPS.findIndex(({ pattern }) => pattern.test(`${folder} ${name}`));

/** @returns the share of the busy time that each group has, from the self times of its frames */
export function groupShares(tree: Frame): number[] {
  const selfTimes = GROUPS.map(() => 0);
  const visit = (frame: Frame): void => {
    let time = frame.time;
    for (const callee of frame.children) {
      time -= callee.time;
      visit(callee);
    }
    selfTimes[groupOf(frame)]! += time;
  };
  tree.children.forEach(visit);
  return selfTimes.map((time) => time / Math.max(1, tree.time));
}

/** @returns a table with a row for each profile, whose key is the name of its graph */
export function sharesTable(profiles: ReadonlyMap<string, readonly number[]>): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const percent = (share: number): string => (share < 0.005 ? '' : `${Math.round(share * 100)} %`);
  return [
    row(['', ...GROUPS.map(({ label }) => label)]),
    `|---|${GROUPS.map(() => '---:|').join('')}`,
    ...[...profiles].map(([name, of]) => row([`[${name.replaceAll('-', ' ')}](${name}.svg)`, ...of.map(percent)])),
  ].join('\n');
}
