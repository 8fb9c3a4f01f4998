/** Styles are imported for their effect on the bundle; a style sheet exports nothing. */
declare module '*.css' {}
