import { type ReactNode, useMemo, useState } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import { grouped, readAmount, writeAmount } from '#domain/money.ts'
import { number } from '#ui/list/Freshness.tsx'
import { Pages } from '#ui/list/Pagination.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import { Folded } from '#features/orders/Disclosure.tsx'
import type { AnyStep } from '#features/orders/quote/fee-tree.ts'
import { WhyAmount } from '#features/orders/quote/FeeBreakdown.tsx'
import { namesOf } from '#features/orders/quote/PriceSummary.tsx'
import { breakdownOf } from '#features/orders/wizard/steps/order-breakdown.ts'
import type { PriceData, ServerQuote } from '#features/orders/quote/local-quote.ts'
import { langOf } from '#ui/i18n/name-language.ts'

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
    [t('made.users'), `${number(users)} · ${t(`mode.${user_mode}`)}`],
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
      <div className="made-modules">
        <h2>{t('made.yearly', { currency })}</h2>
        <Modules modules={modules} users={steps && sumOf(steps, 'users')} />
        {steps && <YearSums steps={steps} />}
      </div>
      {steps && (
        <Folded className="price-why" line={t('why.label')}>
          {() => <WhyAmount currency={currency} steps={steps} names={namesOf(market)} />}
        </Folded>
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

/** Null: there is no such step. */
function sumOf(steps: readonly AnyStep[], code: string): string | null {
  const found = steps.filter((step) => step.code === code)
  return found.length === 0 ? null : writeAmount(found.reduce((sum, { amount }) => sum + readAmount(amount), 0n))
}

/** `users`: what all of them cost; null: not known any more. */
function Modules({ modules, users }: { modules: readonly Line[]; users: string | null }) {
  const { t } = useTranslation('wizard')
  const [page, setPage] = useState(1)
  const pages = Math.ceil(modules.length / pageSize)
  const shown = modules.slice((page - 1) * pageSize, page * pageSize)
  return (
    <>
      {users && (
        <p className="made-line">
          <span>{t('made.users')}</span>
          <span className="figure">{grouped(users)}</span>
        </p>
      )}
      <h3>{t('modules.label')}</h3>
      <ul>
        {shown.map(({ code, name, price, auto }) => (
          <li key={code} className="made-line">
            <span>
              <span lang={langOf(name)}>{name}</span> <code>{code}</code>
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
    </>
  )
}

/** What is added to users and modules, and what a year comes to. */
function YearSums({ steps }: { steps: readonly AnyStep[] }) {
  const { t } = useTranslation('wizard')
  const lines = [
    [t('field.uat'), sumOf(steps, 'uat')],
    [t('why.annual'), sumOf(steps, 'annual')],
  ] as const
  return (
    <dl className="made-sums">
      {lines.map(
        ([label, sum]) =>
          sum && (
            <div key={label} className="made-line">
              <dt>{label}</dt>
              <dd className="figure">{grouped(sum)}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
