/** What the pages load, as text. */
import style from './docs.css' with { type: 'text' };
import script from './search.txt' with { type: 'text' };

export { script as SCRIPT, style as STYLE };
