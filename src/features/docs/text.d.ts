/** `with { type: 'text' }` imports of pages, and of what they load. */
declare module '*.md' {
  const text: string;
  export default text;
}
declare module '*.css' {
  const text: string;
  export default text;
}
