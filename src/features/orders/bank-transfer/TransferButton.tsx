import { useTranslation } from 'react-i18next'
import type { Currency } from '#domain/money.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { isCoveredByCredit, type ProformaState } from '#features/orders/bank-transfer/useProforma.ts'

interface TransferButtonProps {
  proforma: ProformaState
  currency: Currency
  /** What has to be transferred. */
  amount: string
  disabledReason: string | null
  isMain?: boolean
}

/** Issues a pro-forma invoice and shows its bank details. */
export function TransferButton({ proforma, currency, amount, disabledReason, isMain = false }: TransferButtonProps) {
  const { t } = useTranslation('payment')
  const button = (
    <Button
      kind={isMain ? 'primary' : 'quiet'}
      isBusy={proforma.isBusy}
      disabledReason={disabledReason}
      onClick={() => void proforma.request()}
    >
      {t('pay.transfer', { amount: formatAmount(currency, amount) })}
    </Button>
  )
  if (isMain) return button
  return (
    <div>
      {button}
      <p className="field-help">{t('help.transfer')}</p>
    </div>
  )
}

/** Why no pro-forma invoice was issued. */
export function TransferProblem({ proforma: { problem } }: Pick<TransferButtonProps, 'proforma'>) {
  const { t } = useTranslation('payment')
  const reason = isCoveredByCredit(problem) ? t('transfer.covered') : null
  return <ProblemNote problem={problem} title={t('transfer.failed')} reason={reason} shouldFocus />
}
