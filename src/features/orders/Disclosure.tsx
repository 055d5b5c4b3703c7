import { type ReactNode, useState } from 'react'

interface Props {
  line: ReactNode
  className?: string
  children: () => ReactNode
}

/** What is made only where somebody looks: 300 modules have 300 lines. */
export function Folded({ line, className, children }: Props) {
  const [open, setOpen] = useState(false)
  return (
    <details className={className} open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{line}</summary>
      {open && children()}
    </details>
  )
}
