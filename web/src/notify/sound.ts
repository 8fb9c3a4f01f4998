/** Tunes made of tones: no file is loaded, and each name of the settings has a tune of its own. */

/** Steps of a pentatonic scale from A4, in half tones: any two of them sound well together. */
const SCALE = [0, 2, 4, 7, 9, 12, 14, 16] as const;
const BASE_HZ = 440;
const STEP_S = 0.11;
const TAIL_S = 0.35;
const VOLUME = 0.12;

let context: AudioContext | undefined;

/** Two or three steps that follow from the name. */
function tuneOf(name: string): readonly number[] {
  let hash = 7;
  for (const char of name) hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  const length = 2 + (hash % 2);
  return Array.from({ length }, (_, index) => SCALE[(hash >>> (3 * index + 1)) % SCALE.length]!);
}

function tone(audio: AudioContext, step: number, at: number): void {
  const source = audio.createOscillator();
  const volume = audio.createGain();
  source.type = 'triangle';
  source.frequency.value = BASE_HZ * 2 ** (step / 12);
  volume.gain.setValueAtTime(0.0001, at);
  volume.gain.exponentialRampToValueAtTime(VOLUME, at + 0.01);
  volume.gain.exponentialRampToValueAtTime(0.0001, at + TAIL_S);
  source.connect(volume).connect(audio.destination);
  source.start(at);
  source.stop(at + TAIL_S);
}

/** Plays the tune of a name. A browser that has not been touched yet stays silent. */
export function play(name: string): void {
  if (name === 'none') return;
  context ??= new AudioContext();
  void context.resume();
  const begin = context.currentTime;
  for (const [index, step] of tuneOf(name).entries()) tone(context, step, begin + index * STEP_S);
}
