/** A placeholder about as tall as the list that is loading, so that the page does not jump. */

export function SkeletonRows({ rows, label }: { rows: number; label: string }) {
  return (
    <div class="skeleton-rows" role="status" aria-busy="true">
      <span class="visually-hidden">{label}</span>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} class="skeleton-row" />
      ))}
    </div>
  );
}
