import type { PayableFault } from '#domain/payments.ts'
import { isNotPayable, formatPayableFault } from '#ui/i18n/payable-messages.ts'

export function PayableNote({ fault }: { fault: PayableFault | null }) {
  if (!fault) return null
  return isNotPayable(fault) ? (
    <p className="field-error" role="alert">
      {formatPayableFault(fault)}
    </p>
  ) : (
    <p className="field-help" role="status">
      {formatPayableFault(fault)}
    </p>
  )
}
