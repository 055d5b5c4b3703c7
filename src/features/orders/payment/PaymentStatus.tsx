import type { ReactNode } from 'react'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'

const icons = { paid: 'check', late: 'info', cancelled: 'info', failed: 'alert' } as const satisfies Record<
  string,
  IconName
>

/** Shows the state of a payment. Screen readers announce it when it appears. */
export function PaymentStatus({
  kind,
  title,
  children,
}: {
  /** `cancelled` means that the payer cancelled, so it is not styled as an error. */
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
