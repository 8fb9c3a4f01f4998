import { useComputed } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { core } from '../client/index.js';
import type { Narrow, Term } from '../core/index.js';
import { Icon, type IconName } from '../kit/index.js';
import { t } from '../text/index.js';
import { type Option, Palette } from './palette.js';
import {
  OPERATORS,
  type SearchOperator,
  type SearchWorld,
  type Suggestion,
  searchOf,
  suggest,
  takeTerms,
  withoutTyped,
  writeTerm,
} from './terms.js';
import { searchWorld } from './world.js';

const ICONS: Readonly<Record<SearchOperator | 'search', IconName>> = {
  stream: 'hash',
  streams: 'globe',
  topic: 'list',
  sender: 'user',
  dm: 'direct',
  'dm-including': 'people',
  is: 'star',
  has: 'attach',
  in: 'filter',
  near: 'pin',
  id: 'link',
  search: 'search',
};

const isOperator = (name: string): name is SearchOperator => name in OPERATORS;
const iconOf = (name: string): IconName => (isOperator(name) ? ICONS[name] : 'search');
const aboutOf = (name: SearchOperator) => `search.${name}` as const;

/** Terms of the view on screen, to go on with. Words come back as text. */
function termsOnScreen(): { readonly terms: Narrow; readonly text: string } {
  const route = core.router.route.peek();
  const narrow = route.view === 'narrow' ? route.narrow : [];
  const words = narrow.filter(({ operator, negated }) => operator === 'search' && !negated);
  return {
    terms: narrow.filter((term) => !words.includes(term)),
    text: words.map(({ operand }) => String(operand)).join(' '),
  };
}

function Chip({ term, world, onRemove }: { term: Term; world: SearchWorld; onRemove: () => void }) {
  const text = writeTerm(term, world);
  return (
    <button type="button" class="search-chip" aria-label={t('search.remove', { term: text })} onClick={onRemove}>
      <span>{text}</span>
      <Icon name="close" size={12} />
    </button>
  );
}

/** Search over all messages that the reader may see. */
export function SearchBox({ onClose }: { readonly onClose: () => void }) {
  const begin = useMemo(termsOnScreen, []);
  const [terms, setTerms] = useState<Narrow>(begin.terms);
  const [text, setText] = useState(begin.text);
  const input = useRef<HTMLInputElement>(null);
  const world = useComputed(searchWorld).value;
  useLayoutEffect(() => input.current?.select(), []);
  const stream = terms.find(({ operator, negated }) => operator === 'stream' && !negated)?.operand;
  useEffect(() => {
    if (typeof stream === 'number') core.loadTopics(stream).catch(() => {});
  }, [stream]);

  const go = () => {
    const { narrow, near } = searchOf(terms, text, world);
    onClose();
    core.router.go({ view: 'narrow', narrow, ...(near === undefined ? {} : { near }) });
  };
  const change = (value: string) => {
    const { narrow, near, rest } = takeTerms(value, world, false);
    if (near !== undefined) setText(value);
    else {
      if (narrow.length > 0) setTerms([...terms, ...narrow]);
      setText(narrow.length > 0 ? rest : value);
    }
  };
  const take = (suggestion: Suggestion) => {
    const left = withoutTyped(text);
    if (suggestion.kind === 'term') {
      setTerms([...terms, suggestion.term]);
      setText(left);
    } else if (suggestion.kind === 'operator') {
      setText(`${left}${suggestion.negated ? '-' : ''}${suggestion.operator}:`);
    } else go();
    input.current?.focus();
  };
  const optionOf = (suggestion: Suggestion): Option => {
    const run = () => take(suggestion);
    if (suggestion.kind === 'operator') {
      const { operator, negated } = suggestion;
      const name = `${negated ? '-' : ''}${operator}:`;
      const about = isOperator(operator) ? t(aboutOf(operator)) : undefined;
      return { key: name, sign: <Icon name={iconOf(operator)} />, name, about, run };
    }
    if (suggestion.kind === 'near') {
      const name = `near:${suggestion.near}`;
      return { key: name, sign: <Icon name="pin" />, name, about: t('search.near'), run };
    }
    const name = writeTerm(suggestion.term, world);
    return { key: name, sign: <Icon name={iconOf(suggestion.term.operator)} />, name, run };
  };

  const found = searchOf(terms, text, world);
  const all: Option[] = [];
  if (found.narrow.length > 0) {
    const name = found.narrow.map((term) => writeTerm(term, world)).join(' ');
    all.push({ key: 'go', sign: <Icon name="search" />, name, about: t('search.go'), run: go });
  }
  const suggestions = suggest(terms, text, world).map(optionOf);
  // A value that is being completed is more likely meant than a search for its beginning.
  const completes = /:[^\s]*$/.test(text) && suggestions.length > 0;
  const options = completes ? [...suggestions, ...all] : [...all, ...suggestions];
  return (
    <Palette
      title={t('search.label')}
      placeholder={t(terms.length > 0 ? 'search.more' : 'search.placeholder')}
      icon="search"
      text={text}
      onText={change}
      options={options}
      onErase={() => setTerms(terms.slice(0, -1))}
      chips={terms.map((term, index) => (
        <Chip
          key={writeTerm(term, world)}
          term={term}
          world={world}
          onRemove={() => {
            setTerms(terms.filter((_, other) => other !== index));
            input.current?.focus();
          }}
        />
      ))}
      empty={t('common.no-results')}
      footer={t('search.hint')}
      inputRef={input}
      onClose={onClose}
    />
  );
}
