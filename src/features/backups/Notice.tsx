import type { ReactNode } from 'react'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'

interface Props {
  tone: 'warning' | 'danger' | 'accent'
  icon: IconName
  acts?: ReactNode
  children: ReactNode
}

/** What one must know before anything is done; announced when it appears. */
export function Notice({ tone, icon, acts, children }: Props) {
  return (
    <div className={`backup-note ${tone}`} role={tone === 'danger' ? 'alert' : 'status'}>
      <Icon name={icon} />
      <div>{children}</div>
      {acts && <div className="backup-note-acts">{acts}</div>}
    </div>
  )
}
