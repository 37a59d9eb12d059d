/** Reports to the host what a real window would notice by itself: keys for the menu, new windows, focus, size, policy violations. */

/** Starts watching. Sent into the page as source text, so it uses nothing from outside. */
export function watchPage(toHost: (message: Readonly<Record<string, unknown>>) => void): void {
  // Last in the bubbling order, as in Electron: if a page prevents a key or a click, the menu does not get it.
  window.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const { key, code, ctrlKey, altKey, metaKey, shiftKey } = event;
    if (!ctrlKey && !altKey && !metaKey && !/^F\d+$/.test(key)) return;
    toHost({ kind: 'key', key, code, ctrlKey, altKey, metaKey, shiftKey });
  });
  const onClick = (event: MouseEvent): void => {
    if (event.defaultPrevented || !(event.target instanceof Element)) return;
    const link = event.target.closest('a[href]');
    if (!(link instanceof HTMLAnchorElement)) return;
    const newWindow =
      event.button === 1 || event.ctrlKey || event.metaKey || event.shiftKey || leaves(link.target);
    if (!newWindow) return;
    event.preventDefault();
    toHost({ kind: 'open', href: link.href, target: link.target, features: '' });
  };
  const leaves = (target: string): boolean =>
    target !== '' && !['_self', '_top', '_parent'].includes(target.toLowerCase());
  window.addEventListener('click', onClick);
  window.addEventListener('auxclick', onClick);
  window.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
    toHost({ kind: 'violation', directive: effectiveDirective, blocked: blockedURI }),
  );
  window.addEventListener('focus', () => toHost({ kind: 'focus' }));
  window.addEventListener('blur', () => toHost({ kind: 'blur' }));
  window.addEventListener('resize', () =>
    toHost({
      kind: 'bounds',
      x: window.screenX,
      y: window.screenY,
      width: window.outerWidth,
      height: window.outerHeight,
    }),
  );
}
