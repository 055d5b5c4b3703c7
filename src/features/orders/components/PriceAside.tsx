import '#features/orders/wizard-words.ts'
import { useEffect, useMemo, useRef, useState } from 'react'
import { lastDay } from '#domain/period.ts'
import { Amount, amountText } from '#ui/Amount.tsx'
import { Icon } from '#ui/Icon.tsx'
import { Tag } from '#ui/Tag.tsx'
import { useWords } from '#ui/words.ts'
import { Folded } from '#features/orders/components/Folded.tsx'
import { WhyAmount } from '#features/orders/components/WhyAmount.tsx'
import { orderFieldWords } from '#features/orders/field-words.ts'
import type { Hand } from '#features/orders/hand.ts'
import type { Figure, Market, Reckoned } from '#features/orders/quoting.ts'

interface Props {
  market: Market
  reckoned: Reckoned | null
  hand: Hand
  /** What it would be with so many users. */
  reckonAt: (users: string) => Reckoned | null
  offline: boolean
  /** Without a module it is no price yet, only what the users would cost. */
  hasModules: boolean
}

/** What it costs as it stands, beside the form and under it on a phone. */
export function PriceAside({ market, reckoned, hand, reckonAt, offline, hasModules }: Props) {
  const t = useWords('wizard')
  const { list } = market
  return (
    <aside className="price-aside" aria-label={t('price.label')}>
      <h2>{t('price.label')}</h2>
      {reckoned?.is === 'figure' ? (
        <Priced figure={reckoned.figure} {...{ market, hand, reckonAt, hasModules }} />
      ) : (
        <p className="price-none">{whyNone(reckoned)}</p>
      )}
      <p className="price-list">
        {offline && <Tag tone="pending">{t('price.here')}</Tag>}
        <span>{t('price.list', { date: list.effective_date })}</span>
      </p>
    </aside>
  )

  function whyNone(none: Exclude<Reckoned, { is: 'figure' }> | null): string {
    if (none === null) return t('price.incomplete')
    if (none.code === 'USERS_OUT_OF_RANGE') return t('price.outOfRange')
    return orderFieldWords({ field: 'modules', code: 'NOT_LISTED', named: none.modules.join(', ') }, '')
  }
}

type PricedProps = Pick<Props, 'market' | 'hand' | 'reckonAt' | 'hasModules'> & { figure: Figure }

function Priced({ figure, market, hand, reckonAt, hasModules }: PricedProps) {
  const t = useWords('wizard')
  const { currency, amount, annual, period_start: from, period_end: end } = figure
  const due = useRef<HTMLSpanElement>(null)
  const year = useRef<HTMLSpanElement>(null)
  useEffect(() =>
    hand.follow((users) => {
      const found = reckonAt(users)
      // Why there is none is for the form to say.
      if (found?.is !== 'figure' || !due.current || !year.current) return false
      due.current.textContent = amountText(currency, found.figure.amount)
      year.current.textContent = amountText(currency, found.figure.annual)
      return true
    }),
  )
  return (
    <>
      <p className="price-amount">
        <Amount ref={due} currency={currency} amount={amount} />
      </p>
      <p className="price-year">
        <span className="price-line">
          <Amount ref={year} currency={currency} amount={annual} /> {t('price.perYear')}
        </span>
      </p>
      <p className="price-days">{t('price.days', { from, last: lastDay(end) })}</p>
      {!hasModules && (
        <p className="price-note">
          <Icon name="info" size={16} /> {t('price.noModules')}
        </p>
      )}
      <Folded className="price-why" line={t('why.label')}>
        {() => <Reasons {...{ figure, market, hand, reckonAt }} />}
      </Folded>
    </>
  )
}

/** Lines that come and go with the ranges: they are React's under a hand too, but nothing else is. */
function Reasons({ figure, market, hand, reckonAt }: Omit<PricedProps, 'hasModules'>) {
  const [held, setHeld] = useState({ of: figure, figure })
  useEffect(() =>
    hand.follow((users) => {
      const found = reckonAt(users)
      if (found?.is !== 'figure') return false
      setHeld({ of: figure, figure: found.figure })
      return true
    }),
  )
  const shown = held.of === figure ? held.figure : figure
  const steps = useMemo(() => shown.steps(), [shown])
  return <WhyAmount currency={shown.currency} steps={steps} names={namesOf(market)} />
}

const names = new WeakMap<Market, ReadonlyMap<string, string>>()
/** Of modules, by code. */
export function namesOf(market: Market): ReadonlyMap<string, string> {
  const known = names.get(market) ?? new Map(market.modules.map(({ code, name }) => [code, name]))
  names.set(market, known)
  return known
}
