import type { ComponentProps } from 'react'
import { EmptyState } from '#ui/list/EmptyState.tsx'

export const EmptyCard = (props: ComponentProps<typeof EmptyState>) => (
  <section className="card">
    <EmptyState {...props} />
  </section>
)
