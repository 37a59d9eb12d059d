/** Words for the start of a line or a sentence. Pure. */

/** "port is taken" as "Port is taken". */
export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** "port is taken" as "Port is taken." */
export function asSentence(text: string): string {
  const sentence = capitalized(text.trim());
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
