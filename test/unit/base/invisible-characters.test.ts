/** Names that show nothing, and names that differ from others by invisible characters only. */
import fc from 'fast-check';
import t from 'tap';
import { foldNameAsShown, hasVisibleCharacter, withoutInvisibleCharacters } from '#base';
import { toCheckedFullName } from '#domain/people';
import { checkNewStreamNameIsShown, toCheckedStreamName, toCheckedTruncatedTopic } from '#domain/streams';

const invisible = fc.constantFrom(
  ...['\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069', '\u2060', '\ufeff'],
  ...['\u00ad', '\u034f', '\u061c', '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800', '\u180e', '\ufe0f', '\u{e0041}'],
);
/** Names that are in use in the world's scripts, whose own invisible characters show something or join letters. */
const VALID_NAMES = [
  'می‌خواهم',
  'क्‍ष',
  'עברית',
  'العربية',
  '한국어',
  'naïve',
  '👨‍👩‍👧 family',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿 England',
  '❤️ love',
  'a b',
];

t.test('a name with invisible characters anywhere looks like the name without them', (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'B', 'é', '字', 'ب', ' ', '-'), minLength: 1, maxLength: 20 }),
      fc.array(fc.tuple(fc.nat(), invisible), { maxLength: 8 }),
      (name, added) => {
        let text = name;
        for (const [at, char] of added) {
          const position = at % (text.length + 1);
          text = `${text.slice(0, position)}${char}${text.slice(position)}`.toWellFormed();
        }
        t.equal(foldNameAsShown(text.replaceAll('\ufffd', '')), foldNameAsShown(name));
        t.equal(hasVisibleCharacter(text.replaceAll('\ufffd', '')), name.trim() !== '');
      },
    ),
    { numRuns: 300 },
  );
  t.end();
});

t.test('a name of invisible characters only is refused', (t) => {
  fc.assert(
    fc.property(fc.array(fc.oneof(invisible, fc.constant(' ')), { minLength: 2, maxLength: 20 }), (chars) => {
      const text = `\u3164${chars.join('')}\u3164`;
      t.throws(() => checkNewStreamNameIsShown(toCheckedStreamName(text)), { message: "Stream name can't be empty!" });
      t.throws(() => toCheckedTruncatedTopic(text), { message: "Topic can't be empty!" });
      t.throws(() => toCheckedFullName(text), { message: 'Invalid characters in name!' });
    }),
    { numRuns: 50 },
  );
  t.end();
});

t.test('joined emoji, flags and words of all scripts stay valid and different', (t) => {
  for (const name of VALID_NAMES) {
    checkNewStreamNameIsShown(toCheckedStreamName(name));
    t.equal(toCheckedTruncatedTopic(name), name);
  }
  t.equal(new Set(VALID_NAMES.map(foldNameAsShown)).size, VALID_NAMES.length);
  t.not(foldNameAsShown('👨‍👩‍👧'), foldNameAsShown('👨👩👧'), 'a family is not three people');
  t.not(foldNameAsShown('🏴󠁧󠁢󠁥󠁮󠁧󠁿'), foldNameAsShown('🏴󠁧󠁢󠁳󠁣󠁴󠁿'), 'England is not Scotland');
  t.equal(withoutInvisibleCharacters('❤️'), '❤');
  t.end();
});
