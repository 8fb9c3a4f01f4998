import { useComputed } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { core } from '../client/index.js';
import type { Narrow, NarrowTerm } from '../core/index.js';
import { Icon, type IconName, showToast } from '../kit/index.js';
import { LATER_ICONS } from '../kit-later/index.js';
import { t } from '../text/index.js';
import { type PaletteOption, SearchPalette } from './palette.js';
import {
  extractResolvedTerms,
  FIXED_VALUES_BY_OPERATOR,
  formatTermAsTyped,
  parseSearch,
  removeWordBeingTyped,
  type SearchNameContext,
  type SearchOperator,
  type SearchSuggestion,
  suggestCompletions,
} from './terms.js';
import { readSearchNameContext } from './world.js';

const ICON_BY_OPERATOR: Readonly<Record<SearchOperator | 'search', IconName>> = {
  stream: 'hash',
  streams: 'globe',
  topic: 'list',
  sender: 'user',
  dm: 'direct',
  'dm-including': 'people',
  is: 'star',
  has: LATER_ICONS.attach,
  in: 'filter',
  near: LATER_ICONS.pin,
  id: LATER_ICONS.link,
  search: 'search',
};

const isSearchOperator = (name: string): name is SearchOperator => name in FIXED_VALUES_BY_OPERATOR;
const pickOperatorIcon = (name: string): IconName => (isSearchOperator(name) ? ICON_BY_OPERATOR[name] : 'search');
const makeOperatorDescriptionKey = (name: SearchOperator) => `search.${name}` as const;

/** Search of the view on screen as a start. Words become text. */
function readTermsOfCurrentRoute(): { readonly terms: Narrow; readonly text: string } {
  const route = core.router.route.peek();
  const narrow = route.view === 'narrow' ? route.narrow : [];
  const words = narrow.filter(({ operator, negated }) => operator === 'search' && !negated);
  return {
    terms: narrow.filter((term) => !words.includes(term)),
    text: words.map(({ operand }) => String(operand)).join(' '),
  };
}

function RemovableTermChip({
  term,
  world,
  onRemove,
}: {
  term: NarrowTerm;
  world: SearchNameContext;
  onRemove: () => void;
}) {
  const text = formatTermAsTyped(term, world);
  return (
    <button type="button" class="search-chip" aria-label={t('search.remove', { term: text })} onClick={onRemove}>
      <span>{text}</span>
      <Icon name="close" size={12} />
    </button>
  );
}

/** Search over all messages that the reader may see. */
export function SearchBox({ onClose }: { readonly onClose: () => void }) {
  const begin = useMemo(readTermsOfCurrentRoute, []);
  const [terms, setTerms] = useState<Narrow>(begin.terms);
  const [text, setText] = useState(begin.text);
  const input = useRef<HTMLInputElement>(null);
  const world = useComputed(readSearchNameContext).value;
  useLayoutEffect(() => input.current?.select(), []);
  const stream = terms.find(({ operator, negated }) => operator === 'stream' && !negated)?.operand;
  useEffect(() => {
    if (typeof stream === 'number') core.loadAllTopicsOnce(stream).catch(() => {});
  }, [stream]);

  const go = (among: Narrow = terms) => {
    const { narrow, near, unknown } = parseSearch(among, text, world);
    if (unknown.length > 0) showToast({ text: t('search.unknown', { terms: unknown.join(' ') }) });
    onClose();
    core.router.navigate({ view: 'narrow', narrow, ...(near === undefined ? {} : { near }) });
  };
  const change = (value: string) => {
    const { narrow, near, rest } = extractResolvedTerms(value, world, false);
    if (near !== undefined) setText(value);
    else {
      if (narrow.length > 0) setTerms([...terms, ...narrow]);
      setText(narrow.length > 0 ? rest : value);
    }
  };
  const take = (suggestion: SearchSuggestion) => {
    const left = removeWordBeingTyped(text);
    if (suggestion.kind === 'term') {
      setTerms([...terms, suggestion.term]);
      setText(left);
    } else if (suggestion.kind === 'operator') {
      setText(`${left}${suggestion.negated ? '-' : ''}${suggestion.operator}:`);
    } else go();
    input.current?.focus();
  };
  const optionOf = (suggestion: SearchSuggestion): PaletteOption => {
    const run = () => take(suggestion);
    if (suggestion.kind === 'operator') {
      const { operator, negated } = suggestion;
      const name = `${negated ? '-' : ''}${operator}:`;
      const about = isSearchOperator(operator) ? t(makeOperatorDescriptionKey(operator)) : undefined;
      return { key: name, leadingIcon: <Icon name={pickOperatorIcon(operator)} />, name, detail: about, choose: run };
    }
    if (suggestion.kind === 'near') {
      const name = `near:${suggestion.near}`;
      return { key: name, leadingIcon: <Icon name={LATER_ICONS.pin} />, name, detail: t('search.near'), choose: run };
    }
    const name = formatTermAsTyped(suggestion.term, world);
    return { key: name, leadingIcon: <Icon name={pickOperatorIcon(suggestion.term.operator)} />, name, choose: run };
  };

  const found = parseSearch(terms, text, world);
  const all: PaletteOption[] = [];
  if (found.narrow.length > 0) {
    const name = found.narrow.map((term) => formatTermAsTyped(term, world)).join(' ');
    all.push({ key: 'go', leadingIcon: <Icon name="search" />, name, detail: t('shell.search'), choose: () => go() });
  }
  // The search begins with the terms of the view on screen; one of the options drops them.
  const own = terms.filter((term) => !begin.terms.includes(term));
  const everywhere = parseSearch(own, text, world).narrow;
  if (own.length < terms.length && everywhere.length > 0) {
    const name = everywhere.map((term) => formatTermAsTyped(term, world)).join(' ');
    const detail = t('search.everywhere');
    all.push({ key: 'everywhere', leadingIcon: <Icon name="all" />, name, detail, choose: () => go(own) });
  }
  const suggestions = suggestCompletions(terms, text, world).map(optionOf);
  // Completing a value is more likely wanted than searching for its beginning.
  const completes = /:[^\s]*$/.test(text) && suggestions.length > 0;
  const options = completes ? [...suggestions, ...all] : [...all, ...suggestions];
  return (
    <SearchPalette
      title={t('search.label')}
      placeholder={t(terms.length > 0 ? 'search.more' : 'search.placeholder')}
      icon="search"
      text={text}
      onTextChange={change}
      options={options}
      onEraseAtStart={() => setTerms(terms.slice(0, -1))}
      chips={terms.map((term, index) => (
        <RemovableTermChip
          key={formatTermAsTyped(term, world)}
          term={term}
          world={world}
          onRemove={() => {
            setTerms(terms.filter((_, other) => other !== index));
            input.current?.focus();
          }}
        />
      ))}
      emptyText={t('common.no-results')}
      footer={t('search.hint')}
      inputRef={input}
      onClose={onClose}
    />
  );
}
