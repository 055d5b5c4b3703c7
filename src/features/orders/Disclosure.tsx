import { type ReactNode, useState } from 'react'

interface Props {
  label: ReactNode
  className?: string
  children: () => ReactNode
}

/** What is made only where somebody looks: 300 modules have 300 lines. */
export function Disclosure({ label, className, children }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className={className} open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen && children()}
    </details>
  )
}
