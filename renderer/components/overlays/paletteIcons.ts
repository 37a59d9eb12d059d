/** The icon of an entry of the palette: of its view, of its command, else of its group. */
import BookOpen from '@lucide/svelte/icons/book-open';
import CircleHelp from '@lucide/svelte/icons/circle-question-mark';
import Copy from '@lucide/svelte/icons/copy';
import CornerDownLeft from '@lucide/svelte/icons/corner-down-left';
import Eye from '@lucide/svelte/icons/eye';
import FileJson from '@lucide/svelte/icons/file-json';
import FileSpreadsheet from '@lucide/svelte/icons/file-spreadsheet';
import FileText from '@lucide/svelte/icons/file-text';
import FileX from '@lucide/svelte/icons/file-x';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import FolderPlus from '@lucide/svelte/icons/folder-plus';
import FolderUp from '@lucide/svelte/icons/folder-up';
import Gauge from '@lucide/svelte/icons/gauge';
import Image from '@lucide/svelte/icons/image';
import Keyboard from '@lucide/svelte/icons/keyboard';
import LifeBuoy from '@lucide/svelte/icons/life-buoy';
import Pause from '@lucide/svelte/icons/pause';
import Play from '@lucide/svelte/icons/play';
import Plus from '@lucide/svelte/icons/plus';
import RotateCw from '@lucide/svelte/icons/rotate-cw';
import SunMoon from '@lucide/svelte/icons/sun-moon';
import type { Component } from 'svelte';
import { VIEWS } from '../../state/route.ts';
import type { PaletteEntry } from '../../text/paletteSearch.ts';
import { VIEW_ICONS } from '../display/viewIcons.ts';

type Icon = Component<{ size?: number }>;

const GROUPS: Readonly<Record<PaletteEntry['group'], Icon>> = {
  Views: VIEW_ICONS.uploads,
  Actions: CornerDownLeft,
  Settings: VIEW_ICONS.settings,
  Watches: Eye,
  Batches: VIEW_ICONS.batches,
  Jobs: VIEW_ICONS.jobs,
  Projects: VIEW_ICONS.projects,
  Files: Image,
};

const ACTIONS: Readonly<Partial<Record<string, Icon>>> = {
  'action:watch': FolderPlus,
  'action:once': FolderUp,
  'action:job': Play,
  'action:job-over': Play,
  'action:skipped': FileX,
  'action:why': CircleHelp,
  'action:folder': FolderPlus,
  'action:scan': RotateCw,
  'action:retry': RotateCw,
  'action:connect': Plus,
  'action:bandwidth': Gauge,
  'action:theme': SunMoon,
  'action:keys': Keyboard,
  'action:data': FolderOpen,
  'action:log': FileText,
  'action:support': LifeBuoy,
  'action:docs': BookOpen,
  'action:copy-id': Copy,
  'action:receipt-csv': FileSpreadsheet,
  'action:receipt-json': FileJson,
};

/** The icon of an entry. Of what both stops and starts again, the label says which. */
export function paletteIcon({ id, group, label }: PaletteEntry): Icon {
  if (id === 'action:pause') return label.startsWith('Resume') ? Play : Pause;
  const view = VIEWS.find((one) => id === `view:${one}`);
  return view === undefined ? (ACTIONS[id] ?? GROUPS[group]) : VIEW_ICONS[view];
}
