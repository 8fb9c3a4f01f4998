/**
 * The web client in Chromium, in an organization of the size that `--people`, `--streams` and `--messages` set: size of
 * the scripts, time until a loaded page has painted messages, time from Enter to the painted message in another page,
 * time of a keystroke, and memory while messages arrive.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { startBarePages } from '../bare-pages.js';
import { BenchPage, openBrowser } from '../browser.js';
import { defineCase } from '../case.js';
import type { Face } from '../faces.js';
import { type Figure, makeFigure, median } from '../figures.js';
import { type Account, call, mapInParallel, PASSWORD } from '../prepare.js';
import { makeWebOrganization, TEXTS, TOPICS, type WebOrganization } from '../web-fill.js';

const CPU_SLOWDOWN = 4;
const MESSAGES_PER_TURN = 50;
/** Maximum number of turns of sending, by turns with the bare pages. */
const MAX_SENDING_TURNS = 3;
const KEYSTROKES = 120;
const KEY_INTERVAL_MS = 30;
const ARRIVING_MESSAGES = 2_000;
const PAUSE_MS = 100;
/**
 * Number of parts of an hour of traffic. The parts follow one another without pauses; each one has messages, reactions,
 * edits and visits of views.
 */
const HOUR_PARTS = 6;
const MESSAGES_PER_PART = 400;
const REACTIONS_PER_PART = 100;
const EDITS_PER_PART = 50;
const TOPICS_PER_PART = 10;
/** Number of parts that fill the bounded caches; growth counts from their end. */
const WARM_UP_PARTS = 2;

interface PreparedWeb {
  readonly reader: Account;
  readonly writers: readonly Account[];
  readonly hash: string;
  readonly size: string;
}

const DIRECTORY = join(tmpdir(), `conclave-bench-web-${process.pid}`);
/** Data that the case creates before its server starts. */
let organization: WebOrganization | undefined;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type ApiResponse = Promise<Record<string, unknown>>;

function sendMessage(face: Face, { authorization }: Account, to: string, topic: string, content: string): ApiResponse {
  return call(face, authorization, '/messages', { type: 'stream', to, topic, content });
}

/** @returns the quantile of values, as the smallest value that a share `part` (0–1) of the values does not exceed */
const quantile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.ceil(values.length * part) - 1]!;

interface Manifest {
  readonly [address: string]: {
    readonly bytes: number;
    readonly encodings: { readonly gz?: number };
    /** Only in rows of earlier builds. */
    readonly until?: number;
  };
}

/** Measures the compressed size of all scripts, and of those that the page requests until messages are painted. */
async function measureSize(page: BenchPage): Promise<Figure[]> {
  const text = await readFile(new URL('../../../web/manifest.json', import.meta.url), 'utf8');
  const manifest = JSON.parse(text) as Manifest;
  const kib = (addresses: readonly string[]): number =>
    addresses.reduce((sum, at) => sum + (manifest[at]!.encodings.gz ?? manifest[at]!.bytes), 0) / 1024;
  const asked = await page.evaluate<string[]>(`performance.getEntriesByType('resource')
    .filter(({ startTime }) => startTime < bench.opened).map(({ name }) => new URL(name).pathname)`);
  const scripts = Object.keys(manifest).filter(
    (address) => address.endsWith('.js') && manifest[address]!.until === undefined,
  );
  return [
    makeFigure('web/script/embedded/first', 'web: scripts until a topic is painted', 'KiB gzip', [
      kib(scripts.filter((address) => asked.includes(address))),
    ]),
    makeFigure('web/script/embedded/all', 'web: all scripts', 'KiB gzip', [kib(scripts)]),
  ];
}

type PageLoad = Awaited<ReturnType<BenchPage['load']>>;

async function measureLoading(browser: Browser, face: Face, { hash, reader }: PreparedWeb, runs: number) {
  const first = await BenchPage.open(browser, face);
  await first.signIn(reader.email, PASSWORD);
  const cookies = await first.page.browserContext().cookies();
  await first.close();
  const cold: PageLoad[] = [];
  for (let run = 0; run < runs; run++) {
    const page = await BenchPage.open(browser, face, cookies);
    await page.page.emulateCPUThrottling(CPU_SLOWDOWN);
    cold.push(await page.load(hash));
    await page.close();
  }
  const page = await BenchPage.open(browser, face, cookies);
  const scripts = await page.load(hash).then(() => measureSize(page));
  const warm: PageLoad[] = [];
  for (let run = 0; run < runs; run++) warm.push(await page.load(hash));
  await page.close();
  const painted = (loads: readonly PageLoad[]): number[] => loads.map((one) => one.painted);
  const work = (loads: readonly PageLoad[]): number[] => loads.map((one) => one.work);
  const slow = `web: cold, CPU ${CPU_SLOWDOWN}× slower`;
  return [
    ...scripts,
    makeFigure('web/cold/embedded/painted', `${slow}, to messages painted`, 'ms', painted(cold)),
    makeFigure('web/cold/embedded/work', `${slow}, work of the main thread`, 'ms', work(cold)),
    makeFigure('web/warm/embedded/painted', 'web: warm, to messages painted', 'ms', painted(warm)),
    makeFigure('web/warm/embedded/work', 'web: warm, work of the main thread', 'ms', work(warm)),
  ];
}

type PagePair = readonly [from: BenchPage, to: BenchPage];

/** Sends messages from the compose box of one page. @returns the times until the other page has painted them, ms */
async function measureSendTimes([from, to]: PagePair, turn: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < MESSAGES_PER_TURN; n++) {
    const text = `sent number ${n} of turn ${turn}`;
    await from.page.keyboard.type(text);
    const shown = to.waitUntilShown(text);
    await from.page.keyboard.press('Enter');
    times.push((await shown) - (await from.evaluate<number>('bench.entered')));
    await pause(PAUSE_MS);
  }
  return times;
}

/** Measures sending in the web client by turns with the bare pages (bare-pages.ts). */
async function measureSending(browser: Browser, ours: PagePair, runs: number): Promise<Figure[]> {
  const server = await startBarePages();
  const open = async (): Promise<BenchPage> => {
    const page = await BenchPage.open(browser, server);
    await page.load('');
    return page;
  };
  const bare: PagePair = [await open(), await open()];
  await bare[0].page.focus('.compose-text');
  const times: { ours: number[]; bare: number[] }[] = [];
  const work: number[] = [];
  for (let turn = 0; turn < Math.min(runs, MAX_SENDING_TURNS); turn++) {
    const before = await ours[1].mainThreadSeconds();
    const own = await measureSendTimes(ours, turn);
    work.push((1_000 * ((await ours[1].mainThreadSeconds()) - before)) / MESSAGES_PER_TURN);
    times.push({ ours: own, bare: await measureSendTimes(bare, turn) });
  }
  for (const page of bare) await page.close();
  await server.stop();
  const figureOf = (id: string, title: string, value: (times: readonly number[]) => number): Figure =>
    makeFigure(
      `web/send/embedded/${id}`,
      title,
      'ms',
      times.map(({ ours }) => value(ours)),
      [{ name: 'bare pages', values: times.map(({ bare }) => value(bare)) }],
    );
  return [
    figureOf('p50', `web: Enter to painted in another page, median of ${MESSAGES_PER_TURN}`, median),
    figureOf('p95', 'web: Enter to painted in another page, p95', (values) => quantile(values, 0.95)),
    makeFigure(
      'web/send/embedded/work',
      'web: work of the other page for a message and its typing notices',
      'ms',
      work,
    ),
  ];
}

async function measureTyping(page: BenchPage): Promise<Figure[]> {
  const words = 'the quick answer to this question is that it depends on the size of the queue ';
  await page.evaluate('bench.keys.length = bench.keyWork.length = 0');
  const before = await page.mainThreadSeconds();
  await page.page.keyboard.type(words.repeat(2).slice(0, KEYSTROKES), { delay: KEY_INTERVAL_MS });
  const worked = (1_000 * ((await page.mainThreadSeconds()) - before)) / KEYSTROKES;
  await page.page.waitForFunction(`bench.keys.length === ${KEYSTROKES}`);
  const times = await page.evaluate<number[]>('bench.keys');
  const work = await page.evaluate<number[]>('bench.keyWork');
  return [
    makeFigure('web/key/embedded/p50', `web: keystroke to its frame, median of ${KEYSTROKES}`, 'ms', [median(times)]),
    makeFigure('web/key/embedded/p95', 'web: keystroke to its frame, p95', 'ms', [quantile(times, 0.95)]),
    makeFigure(
      'web/key/embedded/without-wait',
      'web: keystroke, its handlers and its frame without the wait for the frame, p95',
      'ms',
      [quantile(work, 0.95)],
    ),
    makeFigure('web/key/embedded/work', 'web: work of the main thread for a keystroke', 'ms', [worked]),
  ];
}

/** Measures the heap while messages arrive. @param page shows the end of the topic of these messages */
async function measureHeap(page: BenchPage, face: Face, writers: readonly Account[]): Promise<Figure[]> {
  const before = await page.heapMib();
  const numbers = Array.from({ length: ARRIVING_MESSAGES }, (_, n) => n);
  await mapInParallel(numbers, (n) =>
    sendMessage(face, writers[n % writers.length]!, 'hall', 'bench', `${TEXTS[n % TEXTS.length]!} (${n})`),
  );
  const shown = page.waitUntilShown('the last of the bench');
  await sendMessage(face, writers[2]!, 'hall', 'bench', 'the last of the bench');
  await shown;
  const after = await page.heapMib();
  return [
    makeFigure('web/heap/embedded/before', 'web: JavaScript heap at rest', 'MiB', [before]),
    makeFigure('web/heap/embedded/after', `web: JavaScript heap after ${ARRIVING_MESSAGES} messages arrived`, 'MiB', [
      after,
    ]),
  ];
}

/** Measures the growth of memory in an hour of traffic. After each part the page returns to the same view. */
async function measureHour(page: BenchPage, face: Face, { writers, hash }: PreparedWeb): Promise<Figure[]> {
  const heap: number[] = [];
  const elements: number[] = [];
  const listeners: number[] = [];
  for (let part = 0; part < HOUR_PARTS; part++) {
    const numbers = Array.from({ length: MESSAGES_PER_PART }, (_, n) => n);
    const ids = await mapInParallel(numbers, async (n) => {
      const text = `${TEXTS[n % TEXTS.length]!} (${part}, ${n})`;
      const sent = await sendMessage(
        face,
        writers[n % writers.length]!,
        'hall',
        n % 2 ? 'bench' : `topic ${n % TOPICS}`,
        text,
      );
      return sent.id as number;
    });
    await mapInParallel(ids.slice(0, REACTIONS_PER_PART), (id) =>
      call(face, writers[2]!.authorization, `/messages/${id}/reactions`, { emoji_name: 'tada' }),
    );
    await mapInParallel(numbers.slice(0, EDITS_PER_PART), (n) =>
      call(face, writers[n % writers.length]!.authorization, `/messages/${ids[n]}`, {
        method: 'PATCH',
        content: `better ${n}`,
      }),
    );
    for (let topic = 0; topic < TOPICS_PER_PART; topic++) {
      await page.goTo(hash.replace('topic/bench', `topic/topic.20${topic * 2}`), '.message-body');
    }
    await page.goTo('#inbox', '.overview');
    await page.goTo('#recent', '.overview');
    await page.goTo('#settings/display', '.settings-content');
    await page.goTo('#streams/all', '.settings-content, .stream-list');
    await page.goTo(hash, '.message-body');
    const last = `the end of part ${part}`;
    const shown = page.waitUntilShown(last);
    await sendMessage(face, writers[2]!, 'hall', 'bench', last);
    await page.page.keyboard.press('End');
    await shown;
    const counts = await page.countElementsAndListeners();
    elements.push(counts[0]);
    listeners.push(counts[1]);
    heap.push(await page.heapMib());
  }
  process.stderr.write(`hour: heap ${heap.map((n) => n.toFixed(1)).join(' ')} MiB, elements ${elements.join(' ')}, `);
  process.stderr.write(`listeners ${listeners.join(' ')}\n`);
  const growth = (values: readonly number[]): number[] => [values.at(-1)! - values[WARM_UP_PARTS - 1]!];
  return [
    makeFigure('web/hour/embedded/heap', 'web: growth of the heap in an hour of traffic', 'MiB', growth(heap)),
    makeFigure('web/hour/embedded/elements', 'web: growth of the number of elements', '', growth(elements)),
    makeFigure('web/hour/embedded/listeners', 'web: growth of the number of listeners', '', growth(listeners)),
  ];
}

export const web = defineCase<PreparedWeb>({
  name: 'web',
  about: 'the web client in /usr/bin/chromium: size of scripts, loading, sending, typing, memory of a page',
  faces: ['embedded'],
  server: { dataDir: DIRECTORY },
  onlyNamed: true,
  async beforeServer(options) {
    await mkdir(DIRECTORY, { recursive: true });
    organization = await makeWebOrganization(DIRECTORY, options);
  },
  afterServer: () => rm(DIRECTORY, { recursive: true, force: true }),
  async prepare({ options }) {
    const { writers, hall } = organization!;
    const size = [options.people, options.streams, options.messages].map((n) => n.toLocaleString('en-US'));
    return {
      reader: writers[0]!,
      writers,
      hash: `#narrow/stream/${hall}-hall/topic/bench`,
      size: `${size[0]} people, ${size[1]} streams, ${size[2]} messages`,
    };
  },
  async measure({ face, options }, prepared) {
    const browser = await openBrowser();
    try {
      const { hash, writers, size } = prepared;
      const loading = await measureLoading(browser, face, prepared, options.runs);
      const pages: BenchPage[] = [];
      for (const { email } of writers.slice(0, 2)) {
        const page = await BenchPage.open(browser, face);
        await page.signIn(email, PASSWORD);
        await page.load(hash);
        pages.push(page);
      }
      const [from, to] = pages as unknown as PagePair;
      await from.page.keyboard.press('End');
      await from.page.keyboard.press('r');
      await from.page.waitForSelector('.compose-text');
      await from.page.focus('.compose-text');
      const sending = await measureSending(browser, [from, to], options.runs);
      const typing = await measureTyping(from);
      await from.close();
      const heap = await measureHeap(to, face, writers);
      const hour = await measureHour(to, face, prepared);
      process.stderr.write(`web: ${size}\n`);
      return [...loading, ...sending, ...typing, ...heap, ...hour];
    } finally {
      await browser.close();
    }
  },
});
