/** Requests about results of jobs. Files are named by paths that main listed; no other file is read. */
import { RESULT_FILE_SORTS } from './listSorts.ts';
import { z } from 'zod';
import type { PageOf } from './records.ts';
import { jobId, listPage, page, path, request, search } from './requestParts.ts';
import {
  RESULT_KINDS,
  type ResultFile,
  type ResultGlance,
  type ResultsView,
  type TablePage,
} from './results.ts';

export const RESULT_REQUESTS = {
  'result.detail': request({ jobId }).returns<ResultsView>(),
  /** When `to` is null: where they were before, otherwise a directory in the downloads folder. */
  'result.download': request({ jobId, to: path.nullable() }).returns<{
    to: string;
  }>(),
  'result.unpack': request({ jobId }).returns<{ archives: number }>(),
  'result.files': request({
    ...listPage(RESULT_FILE_SORTS),
    jobId,
    kind: z.enum(RESULT_KINDS),
  }).returns<PageOf<ResultFile>>(),
  'result.table': request({
    ...page,
    jobId,
    path,
    search,
    sort: z.number().int().min(0).max(1000).nullable(),
    descending: z.boolean(),
  }).returns<TablePage>(),
  'result.picture': request({ jobId, path, size: z.enum(['small', 'large']) }).returns<{
    dataUrl: string;
  } | null>(),
  'result.show': request({ jobId, path }).returns<null>(),
  /** Opens a table or an image in its default program; any other file is shown in its folder. */
  'result.open': request({ jobId, path }).returns<null>(),
  'result.glance': request({ jobId, path }).returns<ResultGlance>(),
  /** Starts dragging files out of the window; call while the pointer is down. */
  'result.drag': request({ jobId, paths: z.array(path).min(1).max(500) }).returns<null>(),
} as const;
