import type { ReactNode } from 'react'
import type { Currency } from '#domain/money.ts'
import { Amount, formatAmount } from '#ui/display/Amount.tsx'
import { useTranslation } from 'react-i18next'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { ContractAppChanges } from '#features/orders/draft/ContractAppChanges.tsx'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import type { SubmitChangeState, ChangeConsent } from '#features/orders/change/useSubmitChange.ts'

interface Props {
  submission: SubmitChangeState
  currency: Currency
  comparison: ReactNode
}

/** Asks for consent to what an order discards, replaces or changes, before the order is sent (D14, D32, M78, M79). */
export function ChangeConsentDialog({ submission: { consent, agree, decline }, currency, comparison }: Props) {
  const { t } = useTranslation('contract')
  if (!consent) return null
  const { titleKey, agreeKey } = textKeysByKind[consent.kind]
  const isDiscard = consent.kind === 'discard'
  return (
    <ActionDialog
      title={t(titleKey, { amount: isDiscard ? formatAmount(currency, consent.amount) : '' })}
      actionLabel={t(agreeKey)}
      kind={isDiscard ? 'danger' : 'primary'}
      cancel={t('consent.back')}
      onAction={agree}
      onClose={decline}
      shouldFocusCancel
    >
      <ConsentDetails consent={consent} currency={currency} comparison={comparison} />
    </ActionDialog>
  )
}

const textKeysByKind = {
  unpaid: { titleKey: 'consent.unpaidTitle', agreeKey: 'consent.replace' },
  apps: { titleKey: 'consent.appsTitle', agreeKey: 'consent.goOn' },
  discard: { titleKey: 'discard.title', agreeKey: 'discard.goOn' },
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
