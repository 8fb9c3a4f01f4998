declare module 'snowball-stemmers' {
  /** Makes a stemmer. The words given to it must be in lower case. */
  export function newStemmer(language: 'english'): { stem(word: string): string };
}
