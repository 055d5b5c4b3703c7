import { type ReactNode, useId } from 'react'

/** A part of a page with a heading of its own. */
export function TitledCard({
  title,
  className = '',
  children,
}: {
  title: string
  className?: string
  children: ReactNode
}) {
  const titleId = useId()
  return (
    <section className={className === '' ? 'card' : `card ${className}`} aria-labelledby={titleId}>
      <h2 id={titleId}>{title}</h2>
      {children}
    </section>
  )
}
