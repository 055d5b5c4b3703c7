import type { ReactNode } from 'react'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import type { BackupPayable, OrderParts } from '#features/backups/order-parts.ts'

interface PaymentActionsProps {
  /** Null if the row is paid or can no longer be paid. */
  payable: BackupPayable | null
  payLabel: string
  onPay: (payable: BackupPayable) => void
  printLabel: string
  /** Null if the row is not paid, because then it has no invoice. */
  onPrint: (() => ReturnType<OrderParts['print']>) | null
  children?: ReactNode
}

export function PaymentActions({ payable, payLabel, onPay, printLabel, onPrint, children }: PaymentActionsProps) {
  const { t } = useTranslation('backups')
  const dispatch = useDispatch()
  const disabledReason = useUnsendableReason(t('needsLine'))
  return (
    <span className="backup-acts">
      {payable && (
        <Button disabledReason={disabledReason} onClick={() => onPay(payable)}>
          {payLabel}
        </Button>
      )}
      {children}
      {onPrint && (
        <Button
          kind="plain"
          isIconOnly
          icon="print"
          disabledReason={disabledReason}
          onClick={() => void dispatch(onPrint())}
        >
          {printLabel}
        </Button>
      )}
    </span>
  )
}
