/** A CPU profile as a tree of frames with their busy times: the time of a frame and its callees, without idle time. */
import { type CallFrame, fileOf, folderOf, IDLE, NATIVE, type Profile, type ProfileNode } from './cpuprofile.js';

export interface Frame {
  readonly name: string;
  /** Folder like `src/frontend/http` or `actors/user`, the name of a module, `node:*`, or `NATIVE`. */
  readonly folder: string;
  /** File and line, like `src/frontend/http/frontend:12`; the name alone for a module. */
  readonly place: string;
  /** Time of the frame and its callees, µs. */
  time: number;
  readonly children: Frame[];
}

const describeFrame = ({ functionName, url, lineNumber }: CallFrame): Omit<Frame, 'time' | 'children'> => {
  const file = fileOf(url);
  const folder = folderOf(file);
  const ours = file !== folder && !file.startsWith('node:');
  if (!ours) return { name: functionName || '(anonymous)', folder, place: file };
  const at = `${file.replace(/\.js$/, '')}:${lineNumber + 1}`;
  // A function without a name is identified by its file and line.
  return functionName === ''
    ? { name: at.slice(at.lastIndexOf('/') + 1), folder, place: folder }
    : { name: functionName, folder, place: at };
};

/** Whether a frame belongs to a dependency. The graph shows no calls inside a dependency. */
const isOfDependency = ({ folder }: Pick<Frame, 'folder'>): boolean =>
  !/^(src|actors|test)\//.test(folder) && folder !== NATIVE;

/** Whether a callee's time is added to its caller without a frame: both are inside one module or inside Node. */
const mergesIntoCaller = (caller: Frame, callee: Pick<Frame, 'folder'>): boolean =>
  isOfDependency(caller) && caller.folder === callee.folder;

function findOrAddChild(of: Frame, frame: Omit<Frame, 'time' | 'children'>): Frame {
  const known = of.children.find(({ name, place }) => name === frame.name && place === frame.place);
  if (known) return known;
  const made = { ...frame, time: 0, children: [] };
  of.children.push(made);
  return made;
}

/** Builds the tree. Nodes of the profile that have the same function and the same caller become one frame. */
export function flameTree({ nodes, samples, timeDeltas }: Profile): Frame {
  const selfTimes = new Map<number, number>();
  samples.forEach((id, i) => {
    selfTimes.set(id, (selfTimes.get(id) ?? 0) + timeDeltas[i]!);
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const root: Frame = { name: 'all', folder: '', place: '', time: 0, children: [] };
  /** Adds a node and its callees to the frames. @returns their time, which the caller adds to its own frame */
  const visit = (node: ProfileNode, into: Frame): number => {
    if (node.callFrame.functionName === IDLE) return 0;
    const frame = describeFrame(node.callFrame);
    const at = mergesIntoCaller(into, frame) ? into : findOrAddChild(into, frame);
    let time = Math.max(0, selfTimes.get(node.id) ?? 0);
    for (const id of node.children ?? []) time += visit(byId.get(id)!, at);
    if (at !== into) at.time += time;
    return time;
  };
  const [first] = nodes;
  for (const id of first?.children ?? []) root.time += visit(byId.get(id)!, root);
  return root;
}

/** Share of a frame's time above which its only callee, of the same folder, replaces the frame in the graph. */
const PASS_THROUGH_SHARE = 0.95;

function skipPassThroughFrames(frame: Frame): Frame {
  const [only] = frame.children;
  const passes = only !== undefined && only.folder === frame.folder && only.time >= frame.time * PASS_THROUGH_SHARE;
  return passes ? skipPassThroughFrames(only) : frame;
}

/**
 * Removes frames that have less than a share of the whole time, and frames that do almost nothing but call one function
 * of their own folder. Sorts callees by time, longest first.
 */
export function collapse(root: Frame, share: number): Frame {
  const minTime = root.time * share;
  const prune = (frame: Frame): Frame => ({
    ...frame,
    children: frame.children
      .filter(({ time }) => time >= minTime && time > 0)
      .sort((a, b) => b.time - a.time)
      .map((callee) => prune({ ...skipPassThroughFrames(callee), time: callee.time })),
  });
  return prune(root);
}
