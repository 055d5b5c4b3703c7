import type { ReactNode } from 'react'
import { Icon } from '#ui/icons/Icon.tsx'

const icons = { plain: 'info', good: 'check', pending: 'offline' } as const

/** Shows information that is not a problem. Screen readers announce it politely. */
export function Note({ kind = 'plain', children }: { kind?: keyof typeof icons; children: ReactNode }) {
  return (
    <div className={`account-note ${kind}`} role="status">
      <Icon name={icons[kind]} />
      <p>{children}</p>
    </div>
  )
}
