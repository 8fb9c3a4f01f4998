import { type ReadonlySignal, signal } from '@preact/signals';
import type { HttpAnswer, HttpRequest, LocalFile, Platform, UploadRequest } from '../core/index.js';
import { startTakingEarlyAnswers, takeEarlyAnswer } from './early-answers.js';
import { IndexedStore } from './indexed-store.js';
import { LockedTabs } from './locked-tabs.js';

async function fetchHttpAnswer({ method, path, headers, body, signal: abort }: HttpRequest): Promise<HttpAnswer> {
  const answer =
    (await takeEarlyAnswer(method, path, body)) ??
    (await fetch(path, {
      method,
      headers,
      cache: 'no-store',
      body: body ?? null,
      signal: abort ?? null,
    }));
  return { status: answer.status, text: await answer.text() };
}

const isBlob = (file: LocalFile): file is LocalFile & Blob => file instanceof Blob;

/** XMLHttpRequest, because fetch says nothing about the progress of an upload. */
function uploadByXhr({ method, path, headers, file, signal: abort, onProgress }: UploadRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => resolve({ status: request.status, text: request.responseText });
    request.onerror = request.onabort = () => reject(new Error('upload failed'));
    abort?.addEventListener('abort', () => request.abort());
    const form = new FormData();
    if (isBlob(file)) form.append('file', file, file.name);
    request.send(form);
  });
}

/** A signal of a value whose changes the browser announces by events of the window or the document. */
function makeEventSignal<T>(read: () => T, ...events: string[]): ReadonlySignal<T> {
  const of = signal(read());
  for (const event of events) {
    const target = event === 'visibilitychange' ? document : window;
    target.addEventListener(event, () => {
      of.value = read();
    });
  }
  return of;
}

const isVisible = (): boolean => document.visibilityState === 'visible';

export function makeBrowserPlatform(): Platform {
  const hash = signal(location.hash);
  const readHash = (): void => {
    hash.value = location.hash;
  };
  startTakingEarlyAnswers();
  addEventListener('hashchange', readHash);
  addEventListener('popstate', readHash);
  return {
    fetch: fetchHttpAnswer,
    upload: uploadByXhr,
    now: () => Date.now(),
    setTimer: (run, ms) => setTimeout(run, ms),
    clearTimer: (timer) => {
      if (typeof timer === 'number') clearTimeout(timer);
    },
    random: () => Math.random(),
    store: new IndexedStore('conclave'),
    tabs: new LockedTabs('conclave'),
    address: {
      hash,
      navigate(to, replace = false) {
        if (replace) history.replaceState(null, '', to);
        else history.pushState(null, '', to);
        readHash();
      },
    },
    online: makeEventSignal(() => navigator.onLine, 'online', 'offline'),
    visible: makeEventSignal(isVisible, 'visibilitychange'),
    focused: makeEventSignal(() => isVisible() && document.hasFocus(), 'focus', 'blur', 'visibilitychange'),
  };
}
