import type { ReactNode } from 'react'
import type { Currency } from '#domain/money.ts'
import { Amount, formatAmount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { ContractAppChanges } from '#features/orders/draft/ContractAppChanges.tsx'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import type { SubmitChangeState, ChangeConsent } from '#features/orders/change/useSubmitChange.ts'

interface Props {
  submission: SubmitChangeState
  currency: Currency
  /** What changes, beside what was agreed. */
  comparison: ReactNode
}

/** What is lost, replaced or changed by an order, before it is made (D14, D32, M78, M79); the safe way out has the focus. */
export function ConsentDialog({ submission: { consent, agree, decline }, currency, comparison }: Props) {
  const { t } = useTranslation('contract')
  if (!consent) return null
  const { title, confirmKey } = textKeysByKind[consent.kind]
  const isDiscard = consent.kind === 'discard'
  const action = (
    <Button kind={isDiscard ? 'danger' : 'primary'} onClick={agree}>
      {t(confirmKey)}
    </Button>
  )
  const amount = isDiscard ? formatAmount(currency, consent.amount) : ''
  return (
    <Dialog
      open
      title={t(title, { amount })}
      onClose={decline}
      action={action}
      cancel={t('consent.back')}
      shouldFocusCancel
    >
      <div className="form">
        <ConsentDetails consent={consent} currency={currency} comparison={comparison} />
      </div>
    </Dialog>
  )
}

const textKeysByKind = {
  unpaid: { title: 'consent.unpaidTitle', confirmKey: 'consent.replace' },
  apps: { title: 'consent.appsTitle', confirmKey: 'consent.goOn' },
  discard: { title: 'discard.title', confirmKey: 'discard.goOn' },
} as const

function ConsentDetails({ consent, currency, comparison }: { consent: ChangeConsent } & Omit<Props, 'submission'>) {
  const { t } = useTranslation('contract')
  const formatDue = useDueFormatter()
  switch (consent.kind) {
    case 'unpaid': {
      const { amount, due } = consent.unpaidOrder
      return (
        <>
          <p>
            {t('pending.unpaid', { matter: formatDue(consent.unpaidOrder) })}{' '}
            <Amount currency={currency} amount={amount} />
          </p>
          <p>{t('consent.unpaidText', { due })}</p>
        </>
      )
    }
    case 'discard':
      return (
        <>
          <p>
            <strong>{t('discard.text', { amount: formatAmount(currency, consent.amount) })}</strong>
          </p>
          {comparison}
          <p>{t('discard.atOnce')}</p>
        </>
      )
    case 'apps':
      return (
        <>
          <p>{t('consent.appsText')}</p>
          <ContractAppChanges appChanges={consent.appChanges} />
        </>
      )
  }
}
