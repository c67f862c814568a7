/** A number in about five characters: `0.312`, `12.5`, `1234`, `3.1e-5`. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return String(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(1);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 3);
}

/** A share in [0, 1] as whole percent; 0 % and 100 % are kept for the exact values. */
export function percentText(share: number): string {
  const percent = Math.round(share * 100);
  if (percent === 100 && share < 1) return '99%';
  if (percent === 0 && share > 0) return '1%';
  return `${percent}%`;
}

/** Seconds as `0.4 s`, `12 s`, `1:05` or `2:03:05`. */
export function durationText(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}
