import '#features/orders/wizard-words.ts'
import { memo, useMemo } from 'react'
import { lastDay } from '#domain/period.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import { Folded } from '#features/orders/Disclosure.tsx'
import { WhyAmount } from '#features/orders/quote/FeeBreakdown.tsx'
import { orderFieldWords } from '#ui/i18n/order-field-messages.ts'
import type { Figure, PriceData, LocalQuote } from '#features/orders/quote/local-quote.ts'

interface Props {
  market: PriceData
  reckoned: LocalQuote | null
  offline: boolean
  /** Without a module it is no price yet, only what the users would cost. */
  hasModules: boolean
}

/** What it costs as it stands, beside the form and under it on a phone. */
export const PriceAside = memo(function PriceAside({ market, reckoned, offline, hasModules }: Props) {
  const { t } = useTranslation('wizard')
  const { list } = market
  return (
    <aside className="price-aside" aria-label={t('price.label')}>
      <h2>{t('price.label')}</h2>
      {reckoned?.kind === 'figure' ? (
        <Priced figure={reckoned.figure} market={market} hasModules={hasModules} />
      ) : (
        <p className="price-none">{whyNone(reckoned)}</p>
      )}
      <p className="price-list">
        {offline && <Tag tone="pending">{t('price.here')}</Tag>}
        <span>{t('price.list', { date: list.effective_date })}</span>
      </p>
    </aside>
  )

  function whyNone(none: Exclude<LocalQuote, { kind: 'figure' }> | null): string {
    if (none === null) return t('price.incomplete')
    if (none.code === 'USERS_OUT_OF_RANGE') return t('price.outOfRange')
    return orderFieldWords({ field: 'modules', code: 'NOT_LISTED', named: none.modules.join(', ') }, '')
  }
})

type PricedProps = Pick<Props, 'market' | 'hasModules'> & { figure: Figure }

function Priced({ figure, market, hasModules }: PricedProps) {
  const { t } = useTranslation('wizard')
  const { currency, amount, annual, period_start: from, period_end: end } = figure
  return (
    <>
      <p className="price-amount">
        <Amount currency={currency} amount={amount} />
      </p>
      <p className="price-year">
        <span className="price-line">
          <Amount currency={currency} amount={annual} /> {t('price.perYear')}
        </span>
      </p>
      <p className="price-days">{t('price.days', { from, last: lastDay(end) })}</p>
      {!hasModules && (
        <p className="price-note">
          <Icon name="info" size={16} /> {t('price.noModules')}
        </p>
      )}
      <Folded className="price-why" line={t('why.label')}>
        {() => <Reasons figure={figure} market={market} />}
      </Folded>
    </>
  )
}

function Reasons({ figure, market }: Omit<PricedProps, 'hasModules'>) {
  const steps = useMemo(() => figure.steps(), [figure])
  return <WhyAmount currency={figure.currency} steps={steps} names={namesOf(market)} />
}

const names = new WeakMap<PriceData, ReadonlyMap<string, string>>()
/** Of modules, by code. */
export function namesOf(market: PriceData): ReadonlyMap<string, string> {
  const known = names.get(market) ?? new Map(market.modules.map(({ code, name }) => [code, name]))
  names.set(market, known)
  return known
}
