import { type ReactNode, useState } from 'react'

interface Props {
  label: ReactNode
  className?: string
  children: () => ReactNode
}

/** Renders its children only while it is open: 300 modules would render 300 rows. */
export function Disclosure({ label, className, children }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className={className} open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen && children()}
    </details>
  )
}
