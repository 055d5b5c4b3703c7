import type { ReactNode } from 'react'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'

interface NoticeProps {
  tone: 'warning' | 'danger' | 'accent'
  icon: IconName
  actions?: ReactNode
  children: ReactNode
}

/** An important note; screen readers announce it when it appears. */
export function Notice({ tone, icon, actions, children }: NoticeProps) {
  return (
    <div className={`backup-note ${tone}`} role={tone === 'danger' ? 'alert' : 'status'}>
      <Icon name={icon} />
      <div>{children}</div>
      {actions && <div className="backup-note-acts">{actions}</div>}
    </div>
  )
}
