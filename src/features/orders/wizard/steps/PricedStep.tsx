import { type FormEventHandler, type ReactNode, useDeferredValue } from 'react'
import { useConnection } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'
import { PricedLayout } from '#features/orders/quote/PricedLayout.tsx'
import { PriceFacts, PriceSummary } from '#features/orders/quote/PriceSummary.tsx'
import type { WizardState } from '#features/orders/wizard/state/useWizard.ts'

interface Props {
  wizard: WizardState
  onSubmit?: FormEventHandler<HTMLFormElement>
  button: ReactNode
  children: ReactNode
}

export function PricedStep({ wizard: { priceData, quote, values, fault }, onSubmit, button, children }: Props) {
  const { t } = useTranslation('wizard')
  const { networkState: connection } = useConnection()
  const priceProps = {
    priceData,
    // Deferred, so that typing or dragging stays fast. Submitting uses the current quote.
    localQuote: useDeferredValue(quote.localQuote),
    isOffline: connection !== 'online',
    hasModules: values.modules.length > 0,
    fault,
  }
  return (
    <PricedLayout
      label={t('price.label')}
      details={<PriceFacts {...priceProps} />}
      onSubmit={onSubmit}
      bar={<PriceSummary {...priceProps}>{button}</PriceSummary>}
    >
      <section className="card form">{children}</section>
    </PricedLayout>
  )
}
