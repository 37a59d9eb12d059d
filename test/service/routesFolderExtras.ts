/** Folders beyond the specification: rename, delete, take projects out (live spelling only). */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { mount, type Answer, type Call } from './api.ts';
import { existingFolder, parseBody, projectsRequest } from './routesProjects.ts';
import type { Service } from './service.ts';

export function mountFolderExtras(app: FastifyInstance, service: Service): void {
  const live = { dialect: 'live', isExtra: true } as const;
  const one = '/:workspace/groups/:folderId';
  mount(app, service, { ...live, method: 'POST', path: one, run: rename });
  mount(app, service, { ...live, method: 'DELETE', path: one, run: remove });
  mount(app, service, { ...live, method: 'DELETE', path: `${one}/projects`, run: takeOut });
}

function rename(call: Call): Answer {
  const folder = existingFolder(call);
  const { folders } = call.service.state.projects;
  const { name } = parseBody(call, z.strictObject({ name: z.string().min(1) }));
  folders.splice(folders.indexOf(folder), 1, { ...folder, name });
  return { body: { id: folder.id } };
}

/** The projects of a deleted folder move to the top level. */
function remove(call: Call): Answer {
  const { folders } = call.service.state.projects;
  folders.splice(folders.indexOf(existingFolder(call)), 1);
  return { status: 204, body: null };
}

function takeOut(call: Call): Answer {
  const folder = existingFolder(call);
  const { projects } = parseBody(call, projectsRequest);
  folder.projects = folder.projects.filter((slug) => !projects.includes(slug));
  return { status: 204, body: null };
}
