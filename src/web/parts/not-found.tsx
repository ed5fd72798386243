/** An address where nothing is. */
export function NotFound() {
  return (
    <>
      <h1>There is nothing here</h1>
      <p>
        The address leads nowhere. <a href="/">To the sites</a>
      </p>
    </>
  );
}
