/** Renders the dashboard into the page. */
import { render } from 'preact';
import { App } from './app.tsx';
import { startTheme } from './lib/theme.ts';

startTheme();
// Not in the style sheet, into which the bundler would write the whole font.
const font = document.querySelector<HTMLLinkElement>('link[as=font]');
if (font) {
  const url = `url("${font.href}")`;
  document.fonts.add(new FontFace('Inter', url, { weight: '400 700', display: 'swap' }));
}
const root = document.getElementById('app');
if (root) render(<App />, root);
