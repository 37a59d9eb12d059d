/** Drops real files from the disk onto a page, which only a debugger can do. */
import type { Locator, Page } from '@playwright/test';

const COPY = 1;

/** Drags files and directories over the middle of an element and drops them. */
export async function dropFiles(
  page: Page,
  target: Locator,
  paths: readonly string[],
): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (box === null) throw new Error('Nothing can be dropped on an element that is not shown.');
  const x = box.x + box.width / 2;
  const y = box.y + box.height / 2;
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: COPY };
  try {
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await session.send('Input.dispatchDragEvent', { type, x, y, data });
    }
  } finally {
    await session.detach();
  }
}
