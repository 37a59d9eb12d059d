import { mount } from 'svelte';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/menus.css';
import './styles/lists.css';
import './styles/sidebar.css';
import './styles/charts.css';
import App from './App.svelte';
import { parseRoute } from './state/route.ts';
import { loadView } from './views/registry.ts';

// The view loads in parallel with the state, not after it.
void loadView(parseRoute(location.hash).view);
const target = document.getElementById('app');
if (target !== null) mount(App, { target });
