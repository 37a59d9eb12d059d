/** The client with the complete reference service: its dialects and extras, and the effect of faults. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttp } from '../../../main/engine/service/http/http.ts';
import { tinyJpeg } from '../../helpers/media.ts';
import { createReferenceService, type ServiceOptions } from '../../service/referenceService.ts';
import { form } from '../../service/testRequests.ts';
import { clientFor } from '../engine/service/testClient.ts';
import { valueOf } from '../../helpers/results.ts';

function streamOf(bytes: Uint8Array) {
  return {
    lengthBytes: bytes.length,
    async *chunks() {
      yield await Promise.resolve(bytes);
    },
  };
}

async function start(options: ServiceOptions = {}) {
  const service = await createReferenceService({
    clock: 'manual',
    startAt: Date.UTC(2026, 8, 20, 10),
    ...options,
  });
  onTestFinished(() => service.close());
  const { apiKey, workspace } = service;
  return { service, ...clientFor(service.url, { apiKey, workspace }, createHttp()) };
}

const period = { from: '2020-01-01', until: '2099-01-01' };
const target = { batchId: 'b1', fileName: 'a.jpg', displayName: null };

describe.each<ServiceOptions>([{}, { dialect: 'live' }, { specOnly: true }])(
  'a service started with %j',
  (options) => {
    it('takes an image, a video and work on its projects', async () => {
      const { client, signal } = await start(options);
      const { headers, body } = form(tinyJpeg(1));
      const contentType = headers?.['content-type'] ?? '';
      const image = { contentType, body: streamOf(body ?? Buffer.alloc(0)) };
      valueOf(await client.uploadImage({ ...target, fileName: 'ä & b.jpg' }, image, signal));
      const [file] = valueOf(await client.batchFiles('b1', null, signal));
      expect(file?.fileName).toBe('ä & b.jpg');

      const folderId = valueOf(await client.createFolder({ name: 'New', parentId: null }, signal));
      valueOf(await client.moveProjects(folderId, ['bottle-caps'], signal));
      const folders = valueOf(await client.listFolders(signal));
      const made = folders.find((folder) => folder.folderId === folderId);
      expect(made?.projects.map((project) => project.projectId)).toEqual(['bottle-caps']);
      const insights = valueOf(await client.insights('bottle-caps', period, signal));
      expect(insights.labelers.length).toBeGreaterThan(0);
      const [batch] = valueOf(await client.imageBatches('bottle-caps', signal));
      const request = {
        name: 'Label these',
        imageBatchId: batch?.imageBatchId ?? '',
        images: 2,
        labelerEmail: 'labeler@example.com',
        reviewerEmail: 'reviewer@example.com',
      };
      const job = valueOf(await client.createAnnotationJob('bottle-caps', request, signal));
      const jobs = valueOf(await client.annotationJobs('bottle-caps', signal));
      expect(jobs.map((one) => one.annotationJobId)).toContain(job.annotationJobId);
      const projects = valueOf(await client.listProjects(signal));
      expect(projects === null).toBe(options.specOnly === true);
      expect(valueOf(await client.listBatches(signal)) === null).toBe(options.specOnly === true);
      expect(valueOf(await client.jobLogs('none', signal)) === null).toBe(true);
    });
  },
);

describe('faults', () => {
  it.each([
    [{ kind: 'doneButAnswerLost' }, 'service.noAnswer'],
    [{ kind: 'cutWhileReceiving', afterBytes: 1000 }, 'network.lost'],
    [{ kind: 'status', status: 503, retryAfter: 9 }, 'service.busy'],
    [{ kind: 'status', status: 500 }, 'service.noAnswer'],
    [{ kind: 'status', status: 413 }, 'service.refused'],
    [{ kind: 'expiredUrl' }, 'upload.urlExpired'],
  ] as const)('%j on a signed PUT: %s', async (fault, code) => {
    const { service, client, signal } = await start();
    const signed = valueOf(await client.registerShard(target, signal));
    service.faults.next('PUT', /./, fault);
    const large = new Uint8Array(16 * 1024 * 1024);
    const sent = await client.putSigned(signed, streamOf(large), signal);
    expect(sent).toMatchObject({ error: { code } });
  });

  it.each([400, 403])('an address that has run out, answered %i', async (expiredUrlStatus) => {
    const { service, client, signal } = await start({ settings: { expiredUrlStatus } });
    const signed = valueOf(await client.registerShard(target, signal));
    expect(signed.expiresAt).toBe(service.clock.now() + service.state.settings.signedUrlMs);
    await service.clock.advance(service.state.settings.signedUrlMs + 1000);
    const sent = await client.putSigned(signed, streamOf(Buffer.from('x')), signal);
    expect(sent).toMatchObject({ error: { code: 'upload.urlExpired' } });
  });

  it.each([
    [{ kind: 'status', status: 502, body: '<html>bad gateway</html>' }],
    [{ kind: 'cutWhileAnswering', afterBytes: 5 }],
    [{ kind: 'doneButAnswerLost' }],
  ] as const)('%j on a read is asked again', async (fault) => {
    const { service, client, signal, pauses } = await start();
    service.faults.next('GET', /folders/, fault, 2);
    expect(valueOf(await client.listFolders(signal)).length).toBeGreaterThan(0);
    expect(pauses).toHaveLength(2);
  });

  it('a wrong key stops everything', async () => {
    const { service, signal } = await start();
    const wrong = clientFor(service.url, { apiKey: 'wrong-key', workspace: service.workspace });
    for (const told of [
      await wrong.client.checkKey(signal),
      await wrong.client.askCount('b1', null, signal),
      await wrong.client.listFolders(signal),
      await wrong.client.registerShard(target, signal),
    ]) {
      expect(told).toMatchObject({ error: { code: 'auth.rejected', next: 'wait' } });
    }
  });
});
