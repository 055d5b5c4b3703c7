import type { ReactNode } from 'react'
import type { Currency } from '#domain/money.ts'
import { Amount, amountText } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { AppChanges } from '#features/orders/draft/ContractAppChanges.tsx'
import { useDueText } from '#features/orders/useDueText.ts'
import type { Changing, Consent } from '#features/orders/change/useSubmitChange.ts'

interface Props {
  changing: Changing
  currency: Currency
  /** What changes, beside what was agreed. */
  terms: ReactNode
}

/** What is lost, replaced or changed by an order, before it is made (D14, D32, M78, M79); the safe way out has the focus. */
export function ConsentDialog({ changing: { consent, agree, decline }, currency, terms }: Props) {
  const { t } = useTranslation('contract')
  if (!consent) return null
  const { title, goOn } = words[consent.kind]
  const isDiscard = consent.kind === 'discard'
  const act = (
    <Button kind={isDiscard ? 'danger' : 'primary'} onClick={agree}>
      {t(goOn)}
    </Button>
  )
  const amount = isDiscard ? amountText(currency, consent.amount) : ''
  return (
    <Dialog open title={t(title, { amount })} onClose={decline} act={act} cancel={t('consent.back')} careful>
      <div className="form">
        <About consent={consent} currency={currency} terms={terms} />
      </div>
    </Dialog>
  )
}

const words = {
  unpaid: { title: 'consent.unpaidTitle', goOn: 'consent.replace' },
  apps: { title: 'consent.appsTitle', goOn: 'consent.goOn' },
  discard: { title: 'discard.title', goOn: 'discard.goOn' },
} as const

function About({ consent, currency, terms }: { consent: Consent } & Omit<Props, 'changing'>) {
  const { t } = useTranslation('contract')
  const dueText = useDueText()
  switch (consent.kind) {
    case 'unpaid': {
      const { amount, due } = consent.unpaid
      return (
        <>
          <p>
            {t('pending.unpaid', { matter: dueText(consent.unpaid) })} <Amount currency={currency} amount={amount} />
          </p>
          <p>{t('consent.unpaidText', { due })}</p>
        </>
      )
    }
    case 'discard':
      return (
        <>
          <p>
            <strong>{t('discard.text', { amount: amountText(currency, consent.amount) })}</strong>
          </p>
          {terms}
          <p>{t('discard.atOnce')}</p>
        </>
      )
    case 'apps':
      return (
        <>
          <p>{t('consent.appsText')}</p>
          <AppChanges info={consent.info} />
        </>
      )
  }
}
