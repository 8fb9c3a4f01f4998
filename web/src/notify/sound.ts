/** Tunes made of tones, without files. Each name in the settings has a tune of its own. */

/** Steps of a pentatonic scale from A4 in half tones, so that any two of them sound well together. */
const SCALE_SEMITONES = [0, 2, 4, 7, 9, 12, 14, 16] as const;
const BASE_HZ = 440;
const TONE_INTERVAL_SECONDS = 0.11;
const TONE_LENGTH_SECONDS = 0.35;
const PEAK_GAIN = 0.12;

let audioContext: AudioContext | undefined;

/** Two or three steps, chosen by the name. */
function makeTuneFromName(name: string): readonly number[] {
  let hash = 7;
  for (const char of name) hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  const length = 2 + (hash % 2);
  return Array.from({ length }, (_, index) => SCALE_SEMITONES[(hash >>> (3 * index + 1)) % SCALE_SEMITONES.length]!);
}

function playTone(audio: AudioContext, step: number, at: number): void {
  const source = audio.createOscillator();
  const volume = audio.createGain();
  source.type = 'triangle';
  source.frequency.value = BASE_HZ * 2 ** (step / 12);
  volume.gain.setValueAtTime(0.0001, at);
  volume.gain.exponentialRampToValueAtTime(PEAK_GAIN, at + 0.01);
  volume.gain.exponentialRampToValueAtTime(0.0001, at + TONE_LENGTH_SECONDS);
  source.connect(volume).connect(audio.destination);
  source.start(at);
  source.stop(at + TONE_LENGTH_SECONDS);
}

/** Plays the tune of a name. Browsers play nothing before the first press on the page. */
export function playTune(name: string): void {
  if (name === 'none') return;
  audioContext ??= new AudioContext();
  void audioContext.resume();
  const begin = audioContext.currentTime;
  for (const [index, step] of makeTuneFromName(name).entries())
    playTone(audioContext, step, begin + index * TONE_INTERVAL_SECONDS);
}
