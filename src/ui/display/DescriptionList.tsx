import '#ui/display/facts.css'
import type { ReactNode } from 'react'

export const DescriptionList = ({ children }: { children: ReactNode }) => <dl className="facts">{children}</dl>

export function DescriptionItem({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}
