/** What a webhook test cannot check although it listens: the route from the service to this computer. Pure. */
export function webhookUntried(publicUrl: string): string {
  return publicUrl === ''
    ? 'The service is given no address, so it will not call. Give one above that leads here.'
    : `Whether the service gets through from outside was not tried: new jobs and uploads name ${publicUrl}, and the first call shows it.`;
}
