import '#features/orders/wizard-words.ts'
import type { FormEventHandler, ReactNode } from 'react'
import type { Currency } from '#domain/money.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { useTranslation } from 'react-i18next'
import { Disclosure } from '#features/orders/Disclosure.tsx'

interface PricedLayoutProps {
  /** What the price is of. */
  label: string
  /** More about it: beside the fields, and under them where there is no room for two columns. */
  details?: ReactNode
  /** A `PriceBar`. */
  bar: ReactNode
  /** None: what is beside the price is no form. */
  onSubmit?: FormEventHandler<HTMLFormElement> | undefined
  children: ReactNode
}

/**
 * What is chosen and what it costs, with the button that orders it: the amount is in sight at every field that changes it, in
 * a column beside them, and on smaller windows in a bar at the lower edge.
 */
export function PricedLayout({ label, details, bar, onSubmit, children }: PricedLayoutProps) {
  const content = (
    <>
      {children}
      <aside className="price-side" aria-label={label}>
        {bar}
        {details && <div className="price-details">{details}</div>}
      </aside>
    </>
  )
  if (!onSubmit) return <div className="priced">{content}</div>
  return (
    <form className="priced" noValidate onSubmit={onSubmit}>
      {content}
    </form>
  )
}

interface PriceBarProps {
  label: string
  /** Null: there is none yet. */
  price: { currency: Currency; amount: string } | null
  /** In place of an amount. */
  none?: ReactNode
  /** Must be read before anything is ordered. */
  notes?: ReactNode
  renderDetails?: (() => ReactNode) | null
  children: ReactNode
}

/** The amount due, why it is that much, and the button. */
export function PriceBar({ label, price, none, notes, renderDetails, children }: PriceBarProps) {
  return (
    <div className="quote-bar">
      {notes && <div className="price-notes">{notes}</div>}
      <p className="price-due" role="status">
        <span>{label}</span>
        {price ? (
          <strong>
            <Amount {...price} />
          </strong>
        ) : (
          <span className="price-none">{none}</span>
        )}
      </p>
      {renderDetails && (
        <Disclosure className="price-why" label={<DetailsLabel />}>
          {renderDetails}
        </Disclosure>
      )}
      <div className="quote-acts">{children}</div>
    </div>
  )
}

/** In one word where the bar is narrow. */
function DetailsLabel() {
  const { t } = useTranslation('wizard')
  return (
    <>
      <span className="quote-long">{t('why.label')}</span>
      <span className="quote-short">{t('why.short')}</span>
    </>
  )
}

/** What a button does and for how much; where the amount stands right beside it, without. */
export function ActionWithAmount({ text, currency, amount }: { text: string; currency: Currency; amount: string }) {
  return (
    <>
      {text}
      <span className="quote-long">
        {' · '}
        <Amount currency={currency} amount={amount} />
      </span>
    </>
  )
}
