import '#features/orders/wizard-words.ts'
import { memo, type ReactNode, useMemo } from 'react'
import type { PayableFault } from '#domain/payments.ts'
import { lastDay } from '#domain/period.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { PayableNote } from '#ui/display/PayableNote.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import { WhyAmount } from '#features/orders/quote/FeeBreakdown.tsx'
import { PriceBar } from '#features/orders/quote/PricedLayout.tsx'
import { orderFieldWords } from '#ui/i18n/order-field-messages.ts'
import type { Figure, PriceData, LocalQuote } from '#features/orders/quote/local-quote.ts'

interface Props {
  market: PriceData
  reckoned: LocalQuote | null
  offline: boolean
  /** Without a module it is no price yet, only what the users would cost. */
  hasModules: boolean
  /** What follows of the amount for who pays it. */
  fault?: PayableFault | null
}

const figureOf = (reckoned: LocalQuote | null) => (reckoned?.kind === 'figure' ? reckoned.figure : null)

/** What a year comes to, for which days, and by which list. */
export const PriceFacts = memo(function PriceFacts({ market, reckoned, offline, hasModules }: Props) {
  const { t } = useTranslation('wizard')
  const figure = figureOf(reckoned)
  return (
    <div className="price-facts">
      {figure && (
        <>
          <p>
            <Amount currency={figure.currency} amount={figure.annual} /> {t('price.perYear')}
          </p>
          <p>{t('price.days', { from: figure.period_start, last: lastDay(figure.period_end) })}</p>
          {!hasModules && (
            <p>
              <Icon name="info" size={16} /> {t('price.noModules')}
            </p>
          )}
        </>
      )}
      <p>
        {offline && <Tag tone="pending">{t('price.here')}</Tag>} {t('price.list', { date: market.list.effective_date })}
      </p>
    </div>
  )
})

/** What a new order comes to, and the button that goes on with it. */
export function OrderPrice({ children, ...props }: Props & { children: ReactNode }) {
  const { t } = useTranslation('wizard')
  const { reckoned } = props
  const figure = figureOf(reckoned)
  return (
    <PriceBar
      label={t('why.due')}
      price={figure}
      none={reckoned?.kind === 'figure' ? null : whyNone(reckoned)}
      notes={props.fault && <PayableNote fault={props.fault} />}
      why={figure && (() => <Reasons figure={figure} {...props} />)}
    >
      {children}
    </PriceBar>
  )

  function whyNone(none: Exclude<LocalQuote, { kind: 'figure' }> | null): string {
    if (none === null) return t('price.incomplete')
    if (none.code === 'USERS_OUT_OF_RANGE') return t('price.outOfRange')
    if (none.code === 'AMOUNT_TOO_LARGE') return t('price.tooLarge')
    return orderFieldWords({ field: 'modules', code: 'NOT_LISTED', named: none.modules.join(', ') }, '')
  }
}

function Reasons({ figure, ...props }: Props & { figure: Figure }) {
  const { market } = props
  const steps = useMemo(() => figure.steps(), [figure])
  return (
    <>
      <WhyAmount currency={figure.currency} steps={steps} names={namesOf(market)} />
      <PriceFacts {...props} />
    </>
  )
}

const names = new WeakMap<PriceData, ReadonlyMap<string, string>>()
/** Of modules, by code. */
export function namesOf(market: PriceData): ReadonlyMap<string, string> {
  const known = names.get(market) ?? new Map(market.modules.map(({ code, name }) => [code, name]))
  names.set(market, known)
  return known
}
