/** The body that starts a job, in the service's names. */
import type { JobRequest } from '../serviceClient.ts';

type Json = Readonly<Record<string, unknown>>;

/** The service's own client leaves out what is not set instead of sending null. */
function withoutAbsent(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/**
 * Builds the complete body of a start-job request. Fields that do not apply to the kind of media (a failure rate for videos,
 * a frame rate for images) are left out, because the service refuses them.
 */
export function jobBody(request: JobRequest, workspace: string): Json {
  const images = request.kind === 'image';
  return withoutAbsent({
    type: images ? 'simple-image-processing-v1' : 'simple-video-processing-v1',
    jobInput: withoutAbsent({
      type: 'staging-batch-input-v1',
      batchId: request.batchId,
      partName: request.partName,
    }),
    computeConfiguration: withoutAbsent({
      type: 'compute-configuration-v2',
      machineType: request.machineType,
      workersPerMachine: request.workersPerMachine,
    }),
    processingTimeoutSeconds: request.processingTimeoutSeconds,
    maxParallelTasks: request.maxParallelTasks,
    maxImageFailureRate: images ? request.maxImageFailureRate : undefined,
    processingSpecification: withoutAbsent({
      type: 'workflows-processing-specification-v1',
      workspace,
      workflowId: request.workflowId,
      workflowParameters: request.workflowParameters,
      imageInputName: request.imageInputName,
      persistImagesOutputs: request.persistImagesOutputs,
      aggregationFormat: request.aggregationFormat,
      maxVideoFPS: images ? undefined : request.maxVideoFps,
    }),
    notificationsURL: request.notificationsUrl,
  });
}
