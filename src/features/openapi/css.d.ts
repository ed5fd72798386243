/** `with { type: 'text' }` imports of style sheets. */
declare module '*.css' {
  const text: string;
  export default text;
}
