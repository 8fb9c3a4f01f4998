/**
 * Finding messages and places: the search box with completion of operators, and the quick switcher.
 *
 *     text → extractResolvedTerms, suggest (terms.ts) → chips and choices → Palette → route of the narrow
 *     state → listSwitcherPlaces, rankPlacesForQuery (places.ts, ranking.ts) → choices → Palette → route
 *
 * - `terms.ts` reads and writes searches (`stream:`, `-sender:`, `is:`, `has:`, `near:` …), `ranking.ts` ranks names;
 *   both are pure and tested by themselves. `world.ts` gives them the names of the state.
 * - `palette.tsx` is the field over a list that both panels share; `open.ts` opens them, each a chunk of its own.
 *
 * A search is a narrow like any other: the message list shows it, with the server's marks in matched texts. The shell
 * binds the panels to the shortcuts `search` and `switch`.
 */
export { toggleSearch, toggleSwitcher } from './open.js';
