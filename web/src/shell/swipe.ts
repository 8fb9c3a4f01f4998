import { core } from '../client/index.js';
import type { Route } from '../core/index.js';

/** A movement is a swipe from this distance on, if it is at least twice as far sideways as up or down. */
const BEGIN_PX = 16;
const SIDEWAYS_RATIO = 2;
/** A swipe goes back if it ends beyond this distance. */
const LEAVE_PX = 96;

/**
 * Whether the element uses the movement itself: a field for its caret; a wide table, code or formula while a part of it
 * is hidden on the left.
 */
function takesMovementsToTheRight(target: EventTarget | null, until: Element): boolean {
  for (let at = target instanceof Element ? target : null; at && at !== until; at = at.parentElement) {
    if (at.matches('input, textarea, select')) return true;
    if (at.scrollLeft > 1 && /auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
  }
  return false;
}

/**
 * A finger that moves to the right over a conversation leads back to a list. The view follows the finger, unless the
 * reader wants less motion.
 * @param getListRoute list that the reader came from
 * @returns ends it
 */
export function followSwipesBack(main: HTMLElement, getListRoute: () => Route): () => void {
  let start: { readonly id: number; readonly x: number; readonly y: number } | undefined;
  let isSwipe = false;
  const stillness = window.matchMedia('(prefers-reduced-motion: reduce)');
  const move = (px: number): void => {
    const view = main.querySelector<HTMLElement>('.view');
    if (view && !stillness.matches) view.style.transform = px > 0 ? `translateX(${px}px)` : '';
  };
  const end = (): void => {
    start = undefined;
    isSwipe = false;
    move(0);
  };
  const onStart = (event: TouchEvent): void => {
    const [touch, another] = event.touches;
    end();
    if (!touch || another || core.router.route.peek().view !== 'narrow') return;
    if (takesMovementsToTheRight(event.target, main) || getSelection()?.isCollapsed === false) return;
    start = { id: touch.identifier, x: touch.clientX, y: touch.clientY };
  };
  const onMove = ({ touches }: TouchEvent): void => {
    const touch = start && [...touches].find(({ identifier }) => identifier === start?.id);
    if (!start || !touch) return;
    const [x, y] = [touch.clientX - start.x, Math.abs(touch.clientY - start.y)];
    if (!isSwipe && Math.max(Math.abs(x), y) < BEGIN_PX) return;
    if (x < SIDEWAYS_RATIO * y) {
      end();
      return;
    }
    isSwipe = true;
    move(x);
  };
  const onEnd = ({ changedTouches }: TouchEvent): void => {
    const touch = start && [...changedTouches].find(({ identifier }) => identifier === start?.id);
    const isFarEnough = isSwipe && start !== undefined && touch !== undefined && touch.clientX - start.x >= LEAVE_PX;
    end();
    if (isFarEnough) core.router.navigate(getListRoute());
  };
  main.addEventListener('touchstart', onStart, { passive: true });
  main.addEventListener('touchmove', onMove, { passive: true });
  main.addEventListener('touchend', onEnd);
  main.addEventListener('touchcancel', end);
  return () => {
    end();
    main.removeEventListener('touchstart', onStart);
    main.removeEventListener('touchmove', onMove);
    main.removeEventListener('touchend', onEnd);
    main.removeEventListener('touchcancel', end);
  };
}
