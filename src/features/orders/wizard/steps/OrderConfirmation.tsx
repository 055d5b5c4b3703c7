import { type ReactNode, useMemo, useState } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import { groupThousands, readAmount, writeAmount } from '#domain/money.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { Pagination } from '#ui/list/Pagination.tsx'
import { formatSigned } from '#ui/display/Amount.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import { Disclosure } from '#features/orders/Disclosure.tsx'
import type { QuoteStep } from '#features/orders/quote/fee-tree.ts'
import { FeeBreakdown } from '#features/orders/quote/FeeBreakdown.tsx'
import { getModuleNames } from '#features/orders/module-names.ts'
import { buildOrderBreakdown, type OrderBreakdown } from '#features/orders/quote/order-breakdown.ts'
import type { PriceData, ServerQuote } from '#features/orders/quote/local-quote.ts'
import { getNameLang } from '#ui/i18n/name-language.ts'

/** Modules per page (contracts 9). */
const pageSize = 5

/** Shows the ordered service with the amount and its calculation. `serverQuote` is null after a reload. */
export function OrderConfirmation({
  order,
  serverQuote,
  priceData,
}: {
  order: OrderRow
  serverQuote: ServerQuote | null
  priceData: PriceData
}) {
  const { t } = useTranslation('wizard')
  const { currency, code, name, user_mode, users, uat, period_start: from, expired_date: last } = order
  const { modules, steps } = useMemo(
    () => buildOrderBreakdown(order, serverQuote, priceData),
    [order, serverQuote, priceData],
  )
  const facts: [string, ReactNode][] = [
    [t('field.code'), <code key="code">{code}</code>],
    [t('field.name'), name],
    [t('made.users'), `${formatNumber(users)} · ${t(`mode.${user_mode}`)}`],
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
        <ModuleList modules={modules} users={steps && sumSteps(steps, 'users')} />
        {steps && <YearSums steps={steps} />}
      </div>
      {steps && (
        <Disclosure className="price-why" label={t('why.label')}>
          {() => <FeeBreakdown currency={currency} steps={steps} namesByCode={getModuleNames(priceData.modules)} />}
        </Disclosure>
      )}
    </section>
  )
}

function sumSteps(steps: readonly QuoteStep[], code: string): string | null {
  const matches = steps.filter((step) => step.code === code)
  return matches.length === 0 ? null : writeAmount(matches.reduce((sum, { amount }) => sum + readAmount(amount), 0n))
}

/** `users` is the price of all users. Null if it is no longer known. */
function ModuleList({ modules, users }: { modules: OrderBreakdown['modules']; users: string | null }) {
  const { t } = useTranslation('wizard')
  const [page, setPage] = useState(1)
  const pageCount = Math.ceil(modules.length / pageSize)
  const pageModules = modules.slice((page - 1) * pageSize, page * pageSize)
  return (
    <>
      {users && (
        <p className="made-line">
          <span>{t('made.users')}</span>
          <span className="figure">{groupThousands(users)}</span>
        </p>
      )}
      <h3>{t('modules.label')}</h3>
      <ul>
        {pageModules.map(({ code, name, price, auto }) => (
          <li key={code} className="made-line">
            <span>
              <span lang={getNameLang(name)}>{name}</span> <code>{code}</code>
            </span>
            {auto === 1 ? (
              <Tag>{t('modules.autoTag')}</Tag>
            ) : (
              price !== null && <span className="figure">{groupThousands(price)}</span>
            )}
          </li>
        ))}
      </ul>
      {pageCount > 1 && <Pagination page={page} pageCount={pageCount} onPage={setPage} />}
    </>
  )
}

function YearSums({ steps }: { steps: readonly QuoteStep[] }) {
  const { t } = useTranslation('wizard')
  const sums = [
    [t('field.uat'), sumSteps(steps, 'uat')],
    // The difference to the minimum fee (D6), so that the lines add up.
    [t('made.minimum'), sumSteps(steps, 'minimum')],
    [t('why.annual'), sumSteps(steps, 'annual')],
  ] as const
  return (
    <dl className="made-sums">
      {sums.map(
        ([label, sum]) =>
          sum && (
            <div key={label} className="made-line">
              <dt>{label}</dt>
              <dd className="figure">{label === t('made.minimum') ? formatSigned(sum) : groupThousands(sum)}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
