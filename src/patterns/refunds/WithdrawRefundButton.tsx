import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RefundRow } from '#contract/staff/refunds.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { Button } from '#ui/display/Button.tsx'
import { WithdrawRefundDialog } from '#patterns/refunds/WithdrawRefundDialog.tsx'

interface WithdrawRefundButtonProps {
  refund: RefundRow
  /** Called when the refund is withdrawn, or can no longer be. */
  onDone: () => void
}

/** Opens the question whether a refund that the gateway does not accept is withdrawn. */
export function WithdrawRefundButton({ refund, onDone }: WithdrawRefundButtonProps) {
  const { t } = useTranslation('refunds')
  const [isOpen, setIsOpen] = useState(false)
  const disabledReason = useUnsendableReason(t('offline'))
  return (
    <>
      <Button aria-haspopup="dialog" disabledReason={disabledReason} onClick={() => setIsOpen(true)}>
        {t('withdraw.act')}
      </Button>
      {isOpen && (
        <WithdrawRefundDialog
          refund={refund}
          onClose={() => setIsOpen(false)}
          onDone={() => {
            setIsOpen(false)
            onDone()
          }}
        />
      )}
    </>
  )
}
