/** Rows are laid out as CSS grids, which takes the roles of a table from them: they are named again. */
export const GRID = { role: 'grid' } as const;
export const GROUP = { role: 'rowgroup' } as const;
export const ROW = { role: 'row' } as const;
export const HEAD = { role: 'columnheader' } as const;
export const CELL = { role: 'gridcell' } as const;
