import type { ReactNode } from 'react'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'

const icons = { paid: 'check', late: 'info', cancelled: 'info', failed: 'alert' } as const satisfies Record<
  string,
  IconName
>

/** The state of a payment; announced when it appears. */
export function PaymentStatus({
  kind,
  title,
  children,
}: {
  /** `cancelled`: by the payer, so it is no alarm. */
  kind: keyof typeof icons | 'checking'
  title: string
  children: ReactNode
}) {
  return (
    <div className={`payment-note ${kind}`} role={kind === 'failed' ? 'alert' : 'status'}>
      {kind === 'checking' ? <span className="spinner" aria-hidden="true" /> : <Icon name={icons[kind]} />}
      <div>
        <p>
          <strong>{title}</strong>
        </p>
        {children}
      </div>
    </div>
  )
}
