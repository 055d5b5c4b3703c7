import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { Button } from '#ui/display/Button.tsx'
import '#features/invoices/refund/words.ts'
import { RefundDialog } from '#features/invoices/refund/RefundDialog.tsx'
import type { RefundDraft, RefundedDocument } from '#features/invoices/refund/refund-form.ts'

interface RefundButtonProps {
  document: RefundedDocument
  isDisputed: boolean
  /** Called when the refund has started, or the transfer is recorded. */
  onDone: () => void
}

/**
 * Opens the dialog of a refund, with what was typed before if it was closed. The bank decides about a disputed payment, so it cannot be
 * refunded.
 */
export function RefundButton({ document, isDisputed, onDone }: RefundButtonProps) {
  const { t } = useTranslation('refunds')
  const [isOpen, setIsOpen] = useState(false)
  const [draft, setDraft] = useState<RefundDraft>({})
  const unsendableReason = useUnsendableReason(t('offline'))
  return (
    <>
      <Button disabledReason={isDisputed ? t('why.disputed') : unsendableReason} onClick={() => setIsOpen(true)}>
        {t('act')}
      </Button>
      {isOpen && (
        <RefundDialog
          {...{ document, draft }}
          onChange={setDraft}
          onClose={() => setIsOpen(false)}
          onDone={() => {
            setDraft({})
            setIsOpen(false)
            onDone()
          }}
        />
      )}
    </>
  )
}
