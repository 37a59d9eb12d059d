import CircleAlert from '@lucide/svelte/icons/circle-alert';
import FolderTree from '@lucide/svelte/icons/folder-tree';
import Layers from '@lucide/svelte/icons/layers';
import Settings from '@lucide/svelte/icons/settings';
import Upload from '@lucide/svelte/icons/upload';
import Workflow from '@lucide/svelte/icons/workflow';
import type { Component } from 'svelte';
import type { ViewName } from '../../state/route.ts';

export const VIEW_ICONS: Readonly<
  Record<ViewName, Component<{ size?: number; strokeWidth?: number }>>
> = {
  uploads: Upload,
  batches: Layers,
  jobs: Workflow,
  projects: FolderTree,
  problems: CircleAlert,
  settings: Settings,
};
