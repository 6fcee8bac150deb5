/** Rows as columns of equal width, two spaces apart. `paint` colours a cell that was laid out already. */
export function formatTable(
  rows: readonly (readonly string[])[],
  paint: (cell: string, column: number) => string = (cell) => cell,
): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  return rows
    .map((row) => {
      const last = row.length - 1;
      return row
        .map((cell, column) => paint(column === last ? cell : cell.padEnd(widths[column] ?? 0), column))
        .join("  ")
        .trimEnd();
    })
    .join("\n");
}
