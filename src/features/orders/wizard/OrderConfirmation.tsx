import { type ReactNode, useMemo, useState } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import { grouped } from '#domain/money.ts'
import { Pages } from '#ui/list/Pagination.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import { WhyAmount } from '#features/orders/quote/FeeBreakdown.tsx'
import { namesOf } from '#features/orders/quote/PriceSummary.tsx'
import { breakdownOf } from '#features/orders/wizard/order-breakdown.ts'
import type { PriceData, ServerQuote } from '#features/orders/quote/local-quote.ts'

/** So many modules on a page of the confirmation (contracts 9). */
const pageSize = 5

/** The server's confirmation: what was ordered, for how much, and why so much. `told`: null after a reload. */
export function OrderMade({ order, told, market }: { order: OrderRow; told: ServerQuote | null; market: PriceData }) {
  const { t } = useTranslation('wizard')
  const { currency, code, name, user_mode, users, uat, period_start: from, expired_date: last } = order
  const { modules, steps } = useMemo(() => breakdownOf(order, told, market), [order, told, market])
  const facts: [string, ReactNode][] = [
    [t('field.code'), <code key="code">{code}</code>],
    [t('field.name'), name],
    [t('made.users'), `${grouped(`${users}.`).replace('.', '')} · ${t(`mode.${user_mode}`)}`],
    [t('field.uat'), t(uat === 1 ? 'made.yes' : 'made.no')],
    [t('made.period'), t('price.days', { from, last })],
  ]
  return (
    <section className="made" aria-label={t('made.label')}>
      <dl className="made-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Modules modules={modules} currency={currency} />
      {steps && (
        <details className="price-why">
          <summary>{t('why.label')}</summary>
          <WhyAmount currency={currency} steps={steps} names={namesOf(market)} />
        </details>
      )}
    </section>
  )
}

interface Line {
  code: string
  name: string
  price: string | null
  auto: number
}

function Modules({ modules, currency }: { modules: readonly Line[]; currency: OrderRow['currency'] }) {
  const { t } = useTranslation('wizard')
  const [page, setPage] = useState(1)
  const pages = Math.ceil(modules.length / pageSize)
  const shown = modules.slice((page - 1) * pageSize, page * pageSize)
  return (
    <div className="made-modules">
      <h2>{t('made.modules', { currency })}</h2>
      <ul>
        {shown.map(({ code, name, price, auto }) => (
          <li key={code}>
            <span>
              {name} <code>{code}</code>
            </span>
            {auto === 1 ? (
              <Tag>{t('modules.autoTag')}</Tag>
            ) : (
              price !== null && <span className="figure">{grouped(price)}</span>
            )}
          </li>
        ))}
      </ul>
      {pages > 1 && <Pages page={page} pages={pages} onPage={setPage} />}
    </div>
  )
}
