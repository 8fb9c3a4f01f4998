declare module 'snowball-stemmers' {
  /** Words must be in lower case. */
  export function newStemmer(language: 'english'): { stem(word: string): string };
}
