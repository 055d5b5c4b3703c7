import { Link } from 'react-router-dom'
import '#features/orders/home/terms.css'
import { maxReminderDays } from '#domain/contracts.ts'
import { countDaysLeft } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import { useBusinessToday } from '#patterns/useSettings.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { getNameLang } from '#ui/i18n/name-language.ts'
import { Freshness } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import '#features/orders/words.ts'
import { effectiveOrdersSlice, expiringView } from '#features/orders/home/slice.ts'
import { layOutTerms, type TermBar } from '#features/orders/home/term-bars.ts'

const maxBars = 8

/**
 * Shows the terms of the contracts in effect over time, the next to end first. It is a table, so that its dates can be read without seeing
 * the bars. Reads the device only: `OrderReport` requests the rows.
 */
export function TermsChart() {
  const { t } = useTranslation('orders')
  const { companyId } = useSignedInSession().caller
  const today = useBusinessToday()
  const list = useLiveQuery(() => effectiveOrdersSlice.readPage(companyId, expiringView), [companyId])
  const rows = (list?.rows ?? []).map(({ row }) => row).slice(0, maxBars)
  if (!list || today === null || rows.length === 0) return null
  const { bars, years, today: todayAt } = layOutTerms(rows, today)
  return (
    <section className="card home-card" aria-labelledby="home-terms">
      <h2 id="home-terms">{t('terms.title')}</h2>
      <table className="terms" aria-labelledby="home-terms">
        <thead>
          <tr>
            <th scope="col">
              <span className="sr-only">{t('terms.contract')}</span>
            </th>
            <th scope="col">
              <span className="sr-only">{t('terms.term')}</span>
              <span className="terms-scale" aria-hidden="true">
                {years.map(({ year, at }) => (
                  <span key={year} style={{ insetInlineStart: `${at}%` }}>
                    {year}
                  </span>
                ))}
                <b className={getTodayClass(todayAt)} style={{ insetInlineStart: `${todayAt}%` }}>
                  {t('terms.today')}
                </b>
              </span>
            </th>
            <th scope="col">
              <span className="sr-only">{t('terms.ends')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <TermRow key={bar.row.id} {...{ bar, today, todayAt }} />
          ))}
        </tbody>
      </table>
      <p className="home-foot">
        <Link className="home-all" to="/app/contract?status=1">
          {list.count > rows.length ? t('terms.more', { count: list.count - rows.length }) : t('terms.all')}
        </Link>
        {/* The page says the age of its data above. */}
        <Freshness freshness={list} matchCount={rows.length} hasAge={false} />
      </p>
    </section>
  )
}

/** Near an edge the label of today stays within the chart. */
const getTodayClass = (at: number) => (at < 10 ? 'at-start' : at > 90 ? 'at-end' : '')

function TermRow({ bar, today, todayAt }: { bar: TermBar; today: PlainDate; todayAt: number }) {
  const { t } = useTranslation('orders')
  const { row, start, width } = bar
  const days = countDaysLeft(today, row.expired_date)
  const isSoon = days <= maxReminderDays.beforeExpiry
  const name = row.name || row.code
  return (
    <tr>
      <th scope="row">
        <Link to={`/app/contract/${row.id}`} lang={getNameLang(name)} title={name}>
          {name}
        </Link>
      </th>
      <td className="terms-track">
        <span className="sr-only">{t('terms.range', { start: row.period_start, end: row.expired_date })}</span>
        <span
          className={`terms-bar${isSoon ? ' soon' : ''}`}
          style={{ insetInlineStart: `${start}%`, inlineSize: `${width}%` }}
        />
        <i style={{ insetInlineStart: `${todayAt}%` }} />
      </td>
      <td>
        <span>{row.expired_date}</span>
        {isSoon && <span className="home-note">{days <= 0 ? t('home.today') : t('home.days', { count: days })}</span>}
      </td>
    </tr>
  )
}
