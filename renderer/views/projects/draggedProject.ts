const KIND = 'application/x-sluice-project';

/** The drag carries the project's id. */
export function beginDrag(event: DragEvent, projectId: string): void {
  event.dataTransfer?.setData(KIND, projectId);
}

/** True when a project is being dragged, and not something from outside; its id can be read only on drop. */
export function holdsProject(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes(KIND) === true;
}

/** The id of the dropped project; null for anything else. */
export function droppedProject(event: DragEvent): string | null {
  const projectId = event.dataTransfer?.getData(KIND) ?? '';
  return projectId === '' ? null : projectId;
}
