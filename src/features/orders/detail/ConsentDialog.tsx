import type { Currency } from '#domain/money.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { AppChanges } from '#features/orders/detail/ContractAppChanges.tsx'
import type { Changing, Consent } from '#features/orders/detail/useSubmitChange.ts'

interface Props {
  changing: Changing
  currency: Currency
}

/** What is replaced or changed by an order, before it is made (D32, M78, M79); the safe way out has the focus. */
export function ConsentDialog({ changing: { consent, agree, decline }, currency }: Props) {
  const { t } = useTranslation('contract')
  if (!consent) return null
  const act = (
    <Button kind="primary" onClick={agree}>
      {t(consent.kind === 'unpaid' ? 'consent.replace' : 'consent.goOn')}
    </Button>
  )
  const title = t(consent.kind === 'unpaid' ? 'consent.unpaidTitle' : 'consent.appsTitle')
  return (
    <Dialog open title={title} onClose={decline} act={act} cancel={t('consent.back')} careful>
      <div className="form">
        <About consent={consent} currency={currency} />
      </div>
    </Dialog>
  )
}

function About({ consent, currency }: { consent: Consent; currency: Currency }) {
  const { t } = useTranslation('contract')
  if (consent.kind === 'unpaid') {
    const { type, amount, due } = consent.unpaid
    return (
      <>
        <p>
          {t(type === 'extend' ? 'pending.extend' : 'pending.change')} <Amount currency={currency} amount={amount} />
        </p>
        <p>{t('consent.unpaidText', { due })}</p>
      </>
    )
  }
  return (
    <>
      <p>{t('consent.appsText')}</p>
      <AppChanges info={consent.info} />
    </>
  )
}
