/** One documented answer of each operation, as the service's public pages show them. */

export const ANSWERS = {
  workspace: { workspace: 'acme', extra: 1 },
  signed: {
    status: 'ok',
    signedURLDetails: {
      uploadURL: 'https://bucket.example/obj?X-Goog-Date=20260920T100000Z&X-Goog-Expires=3600',
      method: 'PUT',
      extensionHeaders: { 'x-goog-content-length-range': '0,2000' },
      maxFileSizeInBytes: 1000,
    },
    maxFilesInArchive: 500,
  },
  count: { status: 'ok', count: 42 },
  shards: {
    status: 'ok',
    nextPageToken: null,
    shards: [
      {
        shardId: '0d40',
        statusName: 'made-up-name',
        statusType: 'success',
        eventTimestamp: '2026-09-20T10:00:00Z',
        shardObjectsCount: 256,
        statusMetadata: { k: 'v' },
      },
    ],
  },
  parts: {
    status: 'ok',
    batchParts: [
      {
        partName: 'exported_data',
        partType: 'simple-batch',
        contentType: 'archives',
        partDescription: 'made up',
        nestedContentType: 'metadata',
      },
    ],
  },
  files: {
    status: 'ok',
    filesMetadata: [
      {
        downloadURL: 'https://bucket.example/o1?sig=x',
        fileName: 'shard-0.tar.gz',
        partName: 'exported_data',
        shardId: null,
        contentType: 'archives',
        nestedContentType: 'metadata',
      },
    ],
  },
  batch: {
    batch: {
      displayName: 'Night',
      batchId: 'b1',
      batchType: 'multipart-batch',
      batchContentType: 'images',
      createdDate: '2026-09-20T10:00:00.000Z',
      expiryDate: '2026-09-27T10:00:00.000Z',
    },
  },
  job: {
    status: 'ok',
    job: {
      jobId: 'job-a1',
      name: 'Night run',
      jobDefinition: { type: 't', notificationsURL: 'https://hook.example/s3cr3t-path' },
      currentStage: 'processing',
      plannedStages: ['processing', 'export'],
      error: false,
      isTerminal: false,
      lastNotification: { type: 'made-up', message: 'made up', resultsBatches: ['job-a1-export'] },
      createdAt: '2026-09-20T10:00:00Z',
      lastUpdate: '2026-09-20T10:05:00Z',
      restartParametersOverride: [],
    },
  },
  stages: {
    status: 'ok',
    stages: [
      {
        processingStageId: 'st-2',
        processingStageName: 'export',
        tasksNumber: 0,
        outputBatches: null,
        startTimestamp: '2026-09-20T10:02:00Z',
        notification: { message: 'packing' },
        statusType: 'error',
        lastEventTimestamp: '2026-09-20T10:04:00Z',
      },
      {
        processingStageId: 'st-1',
        processingStageName: 'processing',
        tasksNumber: 4,
        outputBatches: ['job-a1-processing'],
        startTimestamp: '2026-09-20T10:01:00Z',
        notification: 'made up',
        statusType: 'info',
        lastEventTimestamp: '2026-09-20T10:04:00Z',
      },
    ],
  },
  tasks: {
    status: 'ok',
    nextPageToken: null,
    tasks: [
      {
        taskId: 't-0',
        notification: 'made up',
        statusType: 'success',
        progress: 1.5,
        eventTimestamp: '2026-09-20T10:04:00Z',
      },
    ],
  },
  logs: {
    logs: [
      {
        createdAt: '2026-09-20T10:04:00Z',
        processingStageId: 'st-1',
        taskId: null,
        severity: 'warning',
        reportingModule: 'runner',
        logType: 'text',
        payload: { message: 'image 3 is black' },
      },
    ],
  },
  folders: { data: [{ id: 'g1', name: 'Client demos', projects: ['proj-a', 'acme/proj-b'] }] },
  projects: {
    workspace: {
      name: 'Acme',
      url: 'acme',
      projects: [{ id: 'acme/cups', name: 'Cups', type: 'object-detection', images: 12 }],
    },
  },
  insights: {
    data: [
      {
        projectId: 'p1',
        projectName: 'Cups',
        labelerId: 'u1',
        imagesLabeled: 73,
        boxesDrawn: 127,
        markedNull: 8,
        modelAssisted: 1,
        approved: 73,
        rejected: 0,
        approvalRate: 100,
      },
    ],
    labelers: [{ id: 'u1', displayName: 'Ana', email: 'ana@example.com' }],
    stats: {
      numImagesLabeled: 73,
      numBoxesDrawn: 127,
      numImagesMarkedNull: 8,
      totalImagesUsingModelAssist: 1,
      approvalRate: 99,
    },
  },
  imageBatches: {
    batches: [
      {
        id: 'b1',
        name: 'Upload via API',
        images: 115,
        numJobs: 2,
        uploaded: { _seconds: 1669146024, _nanoseconds: 818000000 },
      },
    ],
  },
  annotationJob: {
    id: 'j1',
    name: 'Job 9',
    status: 'assigned',
    project: 'PROJ',
    sourceBatch: 'PROJ/BATCH',
    owner: 'WS',
    createdBy: 'API',
    labeler: 'l@example.com',
    reviewer: 'r@example.com',
    numImages: 26,
    annotated: 3,
    unannotated: 23,
    approved: 0,
    rejected: 0,
    created: { _seconds: 1669148088, _nanoseconds: 297000000 },
  },
} as const;
