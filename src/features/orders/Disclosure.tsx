import { type ReactNode, useState } from 'react'

interface Props {
  label: ReactNode
  className?: string
  /** Replaces the state of this part, for example with one that is stored on the device. */
  openState?: readonly [isOpen: boolean, setIsOpen: (isOpen: boolean) => void]
  children: () => ReactNode
}

/** Renders its children only while it is open: 300 modules would render 300 rows. */
export function Disclosure({ label, className, openState, children }: Props) {
  const ownState = useState(false)
  const [isOpen, setIsOpen] = openState ?? ownState
  return (
    <details className={className} open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen && children()}
    </details>
  )
}
