import '#features/orders/wizard-words.ts'
import { type FormEventHandler, type ReactNode, useState } from 'react'
import type { Currency } from '#domain/money.ts'
import { Amount, formatAmount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { useMedia } from '#ui/display/useMedia.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { Disclosure } from '#features/orders/Disclosure.tsx'

interface PricedLayoutProps {
  label: string
  /** Shown in the price column, or below the fields if the window is too narrow for two columns. */
  details?: ReactNode
  bar: ReactNode
  /** Without it, the content is rendered without a `<form>`. */
  onSubmit?: FormEventHandler<HTMLFormElement> | undefined
  children: ReactNode
}

/** Keeps the price visible at every field that changes it: in a column, or on small windows in a bar at the bottom. */
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
  price: { currency: Currency; amount: string } | null
  none?: ReactNode
  notes?: ReactNode
  renderDetails?: (() => ReactNode) | null
  children: ReactNode
}

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
      {renderDetails && price && <PriceDetails {...{ price, renderDetails }} />}
      <div className="quote-acts">{children}</div>
    </div>
  )
}

interface PriceDetailsProps {
  price: { currency: Currency; amount: string }
  renderDetails: () => ReactNode
}

/** Explains the price, below it in the column, or over the fields if the price is a bar. */
function PriceDetails({ price, renderDetails }: PriceDetailsProps) {
  const { t } = useTranslation('wizard')
  const isBar = useMedia('(width < 64rem)')
  const [isOpen, setIsOpen] = useState(false)
  if (!isBar)
    return (
      <Disclosure className="price-why" label={t('why.label')}>
        {renderDetails}
      </Disclosure>
    )
  return (
    <div className="price-why">
      <Button kind="plain" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        {t('why.short')}
      </Button>
      <Dialog
        open={isOpen}
        title={t('why.title', { amount: formatAmount(price.currency, price.amount) })}
        cancel={null}
        onClose={() => setIsOpen(false)}
      >
        {renderDetails()}
      </Dialog>
    </div>
  )
}

/** Label of a button with its amount. The amount is hidden where it is already displayed next to the button. */
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
