/** Stands where a list will be, about as tall, so that nothing jumps when it comes. */

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
