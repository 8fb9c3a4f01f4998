/** Groups of frames by the subject of their work: their colour in a graph, and their row in the table of shares. */
import type { Frame } from './flame-tree.js';

export interface Group {
  readonly label: string;
  readonly colour: string;
  readonly holds: RegExp;
}

/** The first that holds a frame's folder and name, divided by a space. Colours go by what the work is about. */
export const GROUPS: readonly Group[] = [
  { label: 'garbage collection', colour: '#9e9e9e', holds: /\(garbage collector\)/ },
  { label: 'HTTP and API', colour: '#7fb3ff', holds: /^src\/frontend\/(http|gateway|api|limits) / },
  { label: 'runtime', colour: '#ffb74d', holds: /^src\/(runtime|ports\/placement|base\/clock|base|model) / },
  { label: 'bus', colour: '#ffe082', holds: /^(src\/ports\/bus|nats|nkeys\.js|@nats-io\/\S+) / },
  { label: 'store and log', colour: '#a1c181', holds: /^src\/ports\/(store|log|blobs) / },
  { label: 'lmdb', colour: '#6a994e', holds: /^lmdb / },
  { label: 'mongodb', colour: '#52796f', holds: /^(mongodb|bson) / },
  { label: 'msgpackr', colour: '#ef9a9a', holds: /^msgpackr/ },
  { label: 'delivery', colour: '#ce93d8', holds: /^(src\/delivery|actors\/event-queue) / },
  { label: 'actors and domain', colour: '#80cbc4', holds: /^(actors|src)\// },
  { label: 'Node and native', colour: '#d7ccc8', holds: /^(node:\*|\(native\)|) / },
  { label: 'other modules', colour: '#f48fb1', holds: /./ },
];

/** Position in `GROUPS`. */
export const groupOf = ({ folder, name }: Pick<Frame, 'folder' | 'name'>): number =>
  GROUPS.findIndex(({ holds }) => holds.test(`${folder} ${name}`));

/** Share of the busy time per group: the self time of its frames. */
export function shares(tree: Frame): number[] {
  const own = GROUPS.map(() => 0);
  const visit = (frame: Frame): void => {
    let time = frame.time;
    for (const callee of frame.children) {
      time -= callee.time;
      visit(callee);
    }
    own[groupOf(frame)]! += time;
  };
  tree.children.forEach(visit);
  return own.map((time) => time / Math.max(1, tree.time));
}

/** A row for each profile, by the name of its graph. */
export function sharesTable(profiles: ReadonlyMap<string, readonly number[]>): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const percent = (share: number): string => (share < 0.005 ? '' : `${Math.round(share * 100)} %`);
  return [
    row(['', ...GROUPS.map(({ label }) => label)]),
    `|---|${GROUPS.map(() => '---:|').join('')}`,
    ...[...profiles].map(([name, of]) => row([`[${name.replaceAll('-', ' ')}](${name}.svg)`, ...of.map(percent)])),
  ].join('\n');
}
