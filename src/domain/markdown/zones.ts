/** Abbreviations of time zones. Some stand for several zones; the table has the most usual one. */

/** Offset of each abbreviated time zone, hours east of UTC. */
const UTC_OFFSET_HOURS_BY_ZONE: Readonly<Record<string, number>> = {
  z: 0,
  utc: 0,
  gmt: 0,
  wet: 0,
  west: 1,
  bst: 1,
  cet: 1,
  met: 1,
  wat: 1,
  cest: 2,
  eet: 2,
  cat: 2,
  sast: 2,
  eest: 3,
  msk: 3,
  eat: 3,
  trt: 3,
  idt: 3,
  gst: 4,
  irst: 3.5,
  aft: 4.5,
  pkt: 5,
  uzt: 5,
  ist: 5.5,
  npt: 5.75,
  wib: 7,
  ict: 7,
  hkt: 8,
  sgt: 8,
  awst: 8,
  pht: 8,
  jst: 9,
  kst: 9,
  acst: 9.5,
  aest: 10,
  acdt: 10.5,
  aedt: 11,
  nzst: 12,
  nzdt: 13,
  brt: -3,
  art: -3,
  nst: -3.5,
  ndt: -2.5,
  ast: -4,
  adt: -3,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
  akst: -9,
  akdt: -8,
  hst: -10,
};

/**
 * Offset of an abbreviated time zone. @param name lower case @returns minutes east of UTC; undefined for an unknown
 * name
 */
export function timeZoneAbbreviationOffsetMinutes(name: string): number | undefined {
  const hours = Object.hasOwn(UTC_OFFSET_HOURS_BY_ZONE, name) ? UTC_OFFSET_HOURS_BY_ZONE[name] : undefined;
  return hours === undefined ? undefined : hours * 60;
}
