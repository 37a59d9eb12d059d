/** The window begins here. */
import { mount } from 'svelte';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/lists.css';
import App from './App.svelte';

const target = document.getElementById('app');
if (target !== null) mount(App, { target });
