import type { ComponentProps } from 'react'
import { EmptyState } from '#ui/list/EmptyState.tsx'

/** In place of a page's content. */
export const EmptyCard = (props: ComponentProps<typeof EmptyState>) => (
  <section className="card">
    <EmptyState {...props} />
  </section>
)
