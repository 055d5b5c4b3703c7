import type { Currency } from '#domain/money.ts'
import { Amount } from '#ui/Amount.tsx'
import { Button } from '#ui/Button.tsx'
import { Dialog } from '#ui/Dialog.tsx'
import { useWords } from '#ui/words.ts'
import { AppChanges } from '#features/orders/components/AppChanges.tsx'
import type { Changing, Consent } from '#features/orders/components/useChanging.ts'

interface Props {
  changing: Changing
  currency: Currency
}

/** What is replaced or changed by an order, before it is made (D32, M78, M79); the safe way out has the focus. */
export function ConsentDialog({ changing: { consent, agree, decline }, currency }: Props) {
  const t = useWords('contract')
  if (!consent) return null
  const footer = (
    <>
      <Button autoFocus onClick={decline}>
        {t('consent.back')}
      </Button>
      <Button kind="primary" onClick={agree}>
        {t(consent.is === 'unpaid' ? 'consent.replace' : 'consent.goOn')}
      </Button>
    </>
  )
  const title = t(consent.is === 'unpaid' ? 'consent.unpaidTitle' : 'consent.appsTitle')
  return (
    <Dialog open title={title} onClose={decline} footer={footer}>
      <div className="form">
        <About consent={consent} currency={currency} />
      </div>
    </Dialog>
  )
}

function About({ consent, currency }: { consent: Consent; currency: Currency }) {
  const t = useWords('contract')
  if (consent.is === 'unpaid') {
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
