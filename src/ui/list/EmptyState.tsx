import type { ReactNode } from 'react'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'

/** Explains the list, why it is empty, and the first step (C-11). */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName
  title?: string
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} size={24} />
      </span>
      {title && <h2>{title}</h2>}
      {children && <div className="empty-text">{children}</div>}
      {action && <div className="empty-action">{action}</div>}
    </div>
  )
}
