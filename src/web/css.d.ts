/** Style sheets that the bundler takes with a page. */
declare module '*.css';
