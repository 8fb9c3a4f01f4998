/**
 * The frame of the client: sign-in or columns, routes, status line, menu, shortcuts that go to views.
 *
 *     startShell(core) → keys, overlays, language, theme → <App> → SignInView | Frame (sidebar · bar + view · people)
 *
 * - `app.tsx` chooses by the session; `frame.tsx` lays out columns, drawers on a phone.
 * - `views.tsx` is the table from routes to views. A view that is not needed at once comes by `makeLazyComponent`.
 * - `bar.tsx` and `title.ts` say what is on screen and unread; `boundary.tsx` catches a view that fails;
 *   `status.tsx` says in one line what the connection does.
 * - `swipe.ts` leads back to the list on a phone, a lazy chunk.
 * - `menu.tsx`, `theme.ts`, `commands.ts` (shortcuts of the frame), `help/` (list of shortcuts, a lazy chunk).
 *
 * Views are imported here and nowhere else; a view never imports another one. The frame holds its size: what comes and
 * goes (status, toasts, drawers) lies over it.
 */
export { startShell } from './start.js';
