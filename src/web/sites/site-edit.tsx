/** One site. */
export function SiteEdit({ id }: { id: number | null }) {
  return <h1>{id === null ? 'New site' : 'Site'}</h1>;
}
