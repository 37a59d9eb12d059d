import { z } from 'zod';

export const trayItemsSchema = z.array(
  z.object({ label: z.string(), enabled: z.boolean(), checked: z.boolean() }),
);
export const notificationsSchema = z.array(z.object({ title: z.string(), body: z.string() }));
export const openedSchema = z.array(z.object({ how: z.string(), target: z.string() }));
export const windowsSchema = z.array(
  z.object({ url: z.string(), visible: z.boolean(), focused: z.boolean() }),
);
export const textsSchema = z.array(z.string());
export const numberSchema = z.number().nullable();
