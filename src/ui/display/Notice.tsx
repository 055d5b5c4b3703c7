import type { ReactNode } from 'react'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'

interface NoticeProps {
  /** Prefix of the class names. The style sheet of each page styles its notices. */
  look: 'backup-note' | 'order-note' | 'wizard-note'
  tone: 'pending' | 'positive' | 'accent' | 'warning' | 'danger' | 'neutral'
  role?: 'alert' | 'status'
  icon: IconName
  actions?: ReactNode
  children: ReactNode
}

/** An important note that screen readers announce when it appears. */
export function Notice({ look, tone, role = tone === 'danger' ? 'alert' : 'status', ...props }: NoticeProps) {
  return (
    <div className={`${look} ${tone}`} role={role}>
      <Icon name={props.icon} />
      <div>{props.children}</div>
      {props.actions && <div className={`${look}-acts`}>{props.actions}</div>}
    </div>
  )
}
