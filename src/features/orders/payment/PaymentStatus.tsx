import type { ReactNode } from 'react'
import { Icon } from '#ui/icons/Icon.tsx'

/** How a payment stands; announced when it appears. */
export function PaymentStatus({
  kind,
  title,
  children,
}: {
  /** `cancelled`: by who wanted to pay, which is nothing to be alarmed by. */
  kind: 'paid' | 'checking' | 'late' | 'cancelled' | 'failed'
  title: string
  children: ReactNode
}) {
  return (
    <div className={`payment-note ${kind}`} role={kind === 'failed' ? 'alert' : 'status'}>
      {kind === 'checking' ? (
        <span className="spinner" aria-hidden="true" />
      ) : (
        <Icon name={kind === 'paid' ? 'check' : kind === 'late' || kind === 'cancelled' ? 'info' : 'alert'} />
      )}
      <div>
        <p>
          <strong>{title}</strong>
        </p>
        {children}
      </div>
    </div>
  )
}
