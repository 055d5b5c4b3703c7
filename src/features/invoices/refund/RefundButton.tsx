import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { Button } from '#ui/display/Button.tsx'
import '#features/invoices/refund/words.ts'
import { RefundDialog } from '#features/invoices/refund/RefundDialog.tsx'
import type { RefundedDocument } from '#features/invoices/refund/refund-form.ts'

interface RefundButtonProps {
  document: RefundedDocument
  isDisputed: boolean
  /** Called when the refund has started, or the transfer is recorded. */
  onDone: () => void
}

/** Opens the dialog of a refund. The bank decides about a disputed payment, so it cannot be refunded. */
export function RefundButton({ document, isDisputed, onDone }: RefundButtonProps) {
  const { t } = useTranslation('refunds')
  const [isOpen, setIsOpen] = useState(false)
  const unsendableReason = useUnsendableReason(t('offline'))
  return (
    <>
      <Button disabledReason={isDisputed ? t('why.disputed') : unsendableReason} onClick={() => setIsOpen(true)}>
        {t('act')}
      </Button>
      {isOpen && (
        <RefundDialog
          document={document}
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
