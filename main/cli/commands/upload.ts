/** `sluice upload PATH… --batch ID`: sends, waits until the service confirms, ends. */
import { sourceIds } from '../../engine/core/batchNames.ts';
import { ok } from '../../engine/core/errors.ts';
import { readUploadRequest, runUpload } from '../run/uploadRun.ts';
import type { Action } from '../session/context.ts';
import { withSession } from '../session/session.ts';

export const upload: Action = async (context, paths) => {
  const request = await readUploadRequest(context, paths);
  if (!request.ok) return request;
  return withSession(context, 'upload', sourceIds(request.value.target.baseId), async (session) => {
    const end = await runUpload(context, session, request.value);
    end.summarize();
    return ok(end.exitCode);
  });
};
