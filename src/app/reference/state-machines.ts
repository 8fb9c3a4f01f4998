/** docs/state-machines.md: the phases of each kind of actor, drawn from the machines that the actors run. */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { eventQueueStateMachine } from '#actors/event-queue';
import { actorKindsByName } from '#app/server';
import type { ActorKey } from '#model';
import type { AnyActorKindDefinition } from '#runtime';

const DELAYED_EVENT_PREFIX = 'xstate.after.';
const ANY_EVENT_NAME = '*';

/** One transition of a state, as the page shows it. */
interface PhaseTransitionArrow {
  /** Label of the arrow: name of a command or an event, or `after` and a delay. */
  readonly label: string;
  /** Phase that the arrow leads to; undefined when the actor stays in its phase. */
  readonly to: string | undefined;
  /** True if the transition is declared only to refuse its command. */
  readonly isForbidden: boolean;
  readonly guard: string | undefined;
}

const eventLabelOf = (event: string): string =>
  event.startsWith(DELAYED_EVENT_PREFIX)
    ? `after ${event.slice(DELAYED_EVENT_PREFIX.length, event.indexOf('.', DELAYED_EVENT_PREFIX.length))}`
    : event;

function listArrowsOfState(state: AnyStateNode): PhaseTransitionArrow[] {
  return [...state.transitions].flatMap(([event, transitions]) =>
    transitions.map(({ target, actions, guard }) => ({
      label: eventLabelOf(event),
      to: target?.[0]?.key,
      isForbidden: target === undefined && actions.length === 0,
      guard: typeof guard === 'string' ? guard : undefined,
    })),
  );
}

const mermaidStateName = (state: string): string => state.replaceAll('-', '_');

/** Diagram in Mermaid; arrows between the same two states share a line. */
function renderPhaseDiagram(machine: AnyStateMachine): string[] {
  const lines = ['```mermaid', 'stateDiagram-v2', `  [*] --> ${mermaidStateName(String(machine.config.initial))}`];
  for (const state of Object.values(machine.states) as AnyStateNode[]) {
    const byTarget = new Map<string, string[]>();
    for (const { label, to } of listArrowsOfState(state)) {
      if (to === undefined) continue;
      byTarget.set(to, [...(byTarget.get(to) ?? []), label]);
    }
    for (const [to, labels] of byTarget)
      lines.push(`  ${mermaidStateName(state.key)} --> ${mermaidStateName(to)}: ${labels.join(', ')}`);
    if (state.type === 'final') lines.push(`  ${mermaidStateName(state.key)} --> [*]`);
  }
  lines.push('```');
  return lines;
}

const MAX_COLUMNS = 120;

/** Breaks an item of a list into lines. */
const wrapListItem = (text: string): string =>
  text.split(' ').reduce((lines, word) => {
    const line = lines.slice(lines.lastIndexOf('\n') + 1);
    return `${lines}${line.length + 1 + word.length > MAX_COLUMNS ? '\n ' : ''} ${word}`;
  });

const formatMarkdownInlineCode = (text: string): string => `\`${text}\``;

const formatArrowLabelsForSentence = (arrows: readonly PhaseTransitionArrow[]): string =>
  arrows.map(({ label }) => formatMarkdownInlineCode(label)).join(', ');

/** Guards of transitions, as words in a sentence. */
const GUARD_DESCRIPTION_BY_NAME: Readonly<Record<string, string>> = { bySystem: 'commands that no user sent' };

/** Sentence on the commands that a phase takes and refuses, with the error of the refusal. */
function describePhaseCommands(state: AnyStateNode, { name: kind, refusalByPhase }: AnyActorKindDefinition): string {
  const arrows = listArrowsOfState(state);
  const moving = arrows.filter(({ to }) => to !== undefined);
  const forbidden = arrows.filter(({ isForbidden }) => isForbidden);
  const guard = arrows.find(({ label }) => label === ANY_EVENT_NAME)?.guard;
  const takesAny = arrows.some(({ label }) => label === ANY_EVENT_NAME);
  if (takesAny && guard === undefined && forbidden.length === 0) return `- **${state.key}** takes every command.`;
  const refusal = refusalByPhase?.[state.key]?.(`${kind}/1/1` as ActorKey);
  const error =
    refusal && 'error' in refusal ? formatMarkdownInlineCode(refusal.error.code ?? refusal.error.msg) : 'an error';
  if (!takesAny)
    return `- **${state.key}** takes ${formatArrowLabelsForSentence(arrows)} and refuses all others with ${error}.`;
  if (guard === undefined)
    return `- **${state.key}** refuses ${formatArrowLabelsForSentence(forbidden)} with ${error} and takes every other command.`;
  const except = forbidden.length > 0 ? ` except ${formatArrowLabelsForSentence(forbidden)}` : '';
  return `- **${state.key}** takes ${formatArrowLabelsForSentence(moving)} and ${GUARD_DESCRIPTION_BY_NAME[guard] ?? guard}${except}, and refuses all others with ${error}.`;
}

const describePhasesOfKind = (kind: AnyActorKindDefinition): string[] =>
  (Object.values(kind.phaseMachine?.states ?? {}) as AnyStateNode[]).map((state) =>
    wrapListItem(describePhaseCommands(state, kind)),
  );

/** Writes the text of docs/state-machines.md. @throws Error when a kind has no summary */
export function renderStateMachinesPage(): string {
  const kinds = Object.values(actorKindsByName());
  const lines = [
    '# State machines',
    '',
    'Made by `npm run docs` from the machines that the actors run. Commands are the events of these machines. The runtime',
    'refuses a command that the phase of its actor does not take (`src/runtime/phases.ts`).',
    '',
  ];
  const without: string[] = [];
  for (const kind of kinds) {
    if (kind.summary === undefined) throw new Error(`the kind ${kind.name} has no summary`);
    if (!kind.phaseMachine && kind.name !== 'queue') {
      without.push(`- ${formatMarkdownInlineCode(kind.name)}: ${kind.summary}`);
      continue;
    }
    lines.push(`## ${kind.name}`, '', kind.summary, '');
    if (kind.phaseMachine) lines.push(...renderPhaseDiagram(kind.phaseMachine), '', ...describePhasesOfKind(kind), '');
    else
      lines.push(
        'The stored state has no phases. A queue in memory has phases: its sidecar runs this machine.',
        '',
        ...renderPhaseDiagram(eventQueueStateMachine),
        '',
      );
  }
  lines.push(
    '## Kinds without phases',
    '',
    'Actors of these kinds take every command at any time.',
    '',
    ...without,
    '',
  );
  return lines.join('\n');
}
