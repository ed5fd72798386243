/** Lines of a text, and its blank end. Pure. */

export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\r\n'.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

export function countLines(text: string): number {
  let lines = 1;
  for (let lf = text.indexOf('\n'); lf >= 0; lf = text.indexOf('\n', lf + 1)) lines++;
  return lines;
}
