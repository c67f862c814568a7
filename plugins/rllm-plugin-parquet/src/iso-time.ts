/**
 * A time as ISO 8601 in UTC, with as many digits of a second as it needs and at least three: nothing of a nanosecond is lost.
 *
 * @param count          since 1970.
 * @param digits         of a second in one unit of `count`: 3 for milliseconds, 6, 9.
 */
export function isoTime(count: bigint, digits: 3 | 6 | 9): string {
  const perSecond = 10n ** BigInt(digits);
  const part = ((count % perSecond) + perSecond) % perSecond;
  const seconds = (count - part) / perSecond;
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, -5);
  const fraction = part.toString().padStart(digits, '0').replace(/0+$/, '').padEnd(3, '0');
  return `${whole}.${fraction}Z`;
}

/** A day as `2026-11-30`. */
export function isoDay(daysSince1970: number): string {
  return new Date(daysSince1970 * 86_400_000).toISOString().slice(0, -14);
}
