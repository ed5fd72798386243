/** `with { type: 'text' }` imports of SQL. */
declare module '*.sql' {
  const text: string;
  export default text;
}
