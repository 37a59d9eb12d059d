/** Annotation insights: the specification's path and the live one, both with the newer shape. */
import type { FastifyInstance } from 'fastify';
import { mount, type Answer, type Call } from './api.ts';
import type { SeedWork } from './projectsState.ts';
import { Refusal } from './refusal.ts';
import { existingProject } from './routesProjects.ts';
import type { Service } from './service.ts';

export function mountInsights(app: FastifyInstance, service: Service): void {
  mount(app, service, {
    method: 'GET',
    dialect: 'spec',
    path: '/:workspace/:projectId/annotationInsights',
    query: ['startDate', 'endDate', 'userId'],
    run: (call) => insights(call, existingProject(call).slug, datesOf(call, false)),
  });
  mount(app, service, {
    method: 'GET',
    dialect: 'live',
    isExtra: true,
    path: '/:workspace/stats',
    query: ['startDate', 'endDate', 'userId', 'project'],
    run: (call) => insights(call, call.query.get('project'), datesOf(call, true)),
  });
}

interface Dates {
  readonly from: string;
  readonly until: string;
}

function datesOf(call: Call, required: boolean): Dates {
  const read = (name: string, otherwise: string): string => {
    const value = call.query.get(name);
    if (value === null && !required) return otherwise;
    const isDate = value !== null && /^\d{4}-\d\d-\d\d$/.test(value);
    if (!isDate || Number.isNaN(Date.parse(value)))
      throw new Refusal(400, `${name} must be a date of the form YYYY-MM-DD`);
    return value;
  };
  const dates = { from: read('startDate', '2023-08-01'), until: read('endDate', '9999-12-31') };
  if (dates.from > dates.until) throw new Refusal(400, 'startDate is after endDate');
  return dates;
}

function insights(call: Call, slug: string | null, dates: Dates): Answer {
  const { projects } = call.service.state;
  if (slug !== null && !projects.projects.some((project) => project.slug === slug))
    throw new Refusal(404, 'Project not found');
  const userId = call.query.get('userId');
  const work = projects.work.filter(
    (one) =>
      (slug === null || one.project === slug) &&
      (userId === null || one.labelerId === userId) &&
      one.day >= dates.from &&
      one.day <= dates.until,
  );
  const rows = Map.groupBy(work, (one) => `${one.project}\n${one.labelerId}`);
  const labelerIds = new Set(work.map((one) => one.labelerId));
  return {
    body: {
      data: [...rows.values()].map((own) => row(call.service, own)),
      labelers: projects.users.filter((user) => labelerIds.has(user.id)),
      stats: {
        numImagesLabeled: sum(work, 'imagesLabeled'),
        numBoxesDrawn: sum(work, 'boxesDrawn'),
        numImagesMarkedNull: sum(work, 'markedNull'),
        totalImagesUsingModelAssist: sum(work, 'modelAssisted'),
        approvalRate: approvalRate(work),
      },
    },
  };
}

function row(service: Service, own: readonly SeedWork[]): Readonly<Record<string, unknown>> {
  const first = own[0];
  const project = service.state.projects.projects.find((one) => one.slug === first?.project);
  return {
    projectId: project?.slug,
    projectName: project?.name,
    projectType: project?.type,
    workspaceId: `doc-${service.state.workspace}`,
    labelerId: first?.labelerId,
    imagesLabeled: sum(own, 'imagesLabeled'),
    boxesDrawn: sum(own, 'boxesDrawn'),
    markedNull: sum(own, 'markedNull'),
    modelAssisted: sum(own, 'modelAssisted'),
    approved: sum(own, 'approved'),
    rejected: sum(own, 'rejected'),
    approvalRate: approvalRate(own),
  };
}

type Counted = Exclude<keyof SeedWork, 'project' | 'labelerId' | 'day'>;

function sum(work: readonly SeedWork[], field: Counted): number {
  return work.reduce((total, one) => total + one[field], 0);
}

/** Percent; 0 when nothing was reviewed. */
function approvalRate(work: readonly SeedWork[]): number {
  const judged = sum(work, 'approved') + sum(work, 'rejected');
  return judged === 0 ? 0 : Math.round((sum(work, 'approved') / judged) * 1000) / 10;
}
