/** What a webhook test found, and what it could not check. Pure. */

/** What was tried, as a sentence: "Port 8787 is taken by another program." */
export function webhookTried(message: string): string {
  const text = message.trim();
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** What was not tested although it listens: the route from the service to this computer. */
export function webhookUntried(publicUrl: string): string {
  return publicUrl === ''
    ? 'The service is given no address, so it will not call. Give one above that leads here.'
    : `Whether the service gets through from outside was not tried: new jobs and uploads name ${publicUrl}, and the first call shows it.`;
}
