/** The frame of a page before anything is known; the style sheet shows it only after a moment. */
import { Brand } from './brand.tsx';
import { SkeletonRows } from './skeleton-rows.tsx';

export const LoadingPage = () => (
  <div class="shell loading-page">
    <header class="side">
      <span class="brand">
        <Brand />
      </span>
    </header>
    <div class="status" />
    <main>
      <SkeletonRows rows={8} label="Loading the dashboard" />
    </main>
  </div>
);
