import type { ReactNode } from 'react'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'

interface NoticeProps {
  /** Class names begin with it: the style sheet of a page draws its notices. */
  look: 'backup-note' | 'order-note' | 'wizard-note'
  tone: 'pending' | 'positive' | 'accent' | 'warning' | 'danger' | 'neutral'
  /** Default: an alert for what is dangerous. */
  role?: 'alert' | 'status'
  icon: IconName
  actions?: ReactNode
  children: ReactNode
}

/** An important note; screen readers announce it when it appears. */
export function Notice({ look, tone, role = tone === 'danger' ? 'alert' : 'status', ...props }: NoticeProps) {
  return (
    <div className={`${look} ${tone}`} role={role}>
      <Icon name={props.icon} />
      <div>{props.children}</div>
      {props.actions && <div className={`${look}-acts`}>{props.actions}</div>}
    </div>
  )
}
