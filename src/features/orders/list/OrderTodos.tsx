import { useEffect } from 'react'
import { Link } from 'react-router-dom'
import { getSettings } from '#contract/accounts.ts'
import { readAged } from '#local/lists/responses.ts'
import { useSignedIn } from '#state/hooks.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'
import { useList } from '#state/use-list.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Freshness } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { plainView } from '#features/orders/list/list-url.ts'
import { Sheet } from '#features/orders/OrderStyles.tsx'
import { StatusTag } from '#features/orders/list/StatusTag.tsx'
import { type Duty, dutiesOf, latestOf } from '#features/orders/list/order-todos.ts'
import { ordersList } from '#features/orders/list/slice.ts'
import { useToday } from '#ui/page/business-day.ts'

/** Enough for a company that orders daily; all that the device has is looked through. */
const view = { ...plainView, results: 50, type: 'saas' as const }
const most = 5

/** What of the contracts needs somebody, and what happened last: from the device, so that it stands without a line. */
export function Duties({ onDue }: { onDue: (due: 'some' | 'none' | 'asking' | 'unknown') => void }) {
  const { t } = useTranslation('orders')
  const { caller } = useSignedIn()
  const { companyId } = caller
  const { response: settings, problem } = useCachedResponse(readAged, getSettings, {})
  const list = useList(ordersList, { scope: companyId, view })
  const rows = list.rows?.map(({ row }) => row) ?? []
  const today = useToday(settings?.output.time_zone ?? 'UTC')
  // The business day begins for all at once (D31): without its zone nothing is said of days.
  const duties = settings ? dutiesOf(rows, today) : []
  const some = duties.length > 0
  const { asOf, isKept } = list.freshness
  const isKnown = settings && asOf !== null
  const due = some ? 'some' : isKnown ? 'none' : isKept || problem ? 'unknown' : 'asking'
  useEffect(() => onDue(due), [onDue, due])
  if (rows.length === 0) return <Sheet />
  return (
    <section className="home-part" aria-labelledby="home-contracts">
      <Sheet />
      <h2 id="home-contracts">{t('home.title')}</h2>
      {some && (
        <ul className="home-list">
          {duties.map((duty) => (
            <li key={`${duty.kind} ${duty.id} ${duty.type}`}>
              <Item duty={duty} />
            </li>
          ))}
        </ul>
      )}
      <h3 className="order-latest">{t('home.latest')}</h3>
      <ul className="order-events">
        {latestOf(rows, most).map((row) => (
          <li key={row.id}>
            <Link to={row.state === 'invalid' ? '/app/contract' : `/app/contract/${row.id}`}>{row.name}</Link>
            <StatusTag state={row.state} />
            <time className="order-time">{row.update_time}</time>
          </li>
        ))}
      </ul>
      <p className="order-all">
        <Link to="/app/contract">{t('home.all')}</Link>
        <Freshness fresh={list.freshness} />
      </p>
    </section>
  )
}

function Item({ duty }: { duty: Duty }) {
  const { t } = useTranslation('orders')
  const { kind, id, name, date, days, type, amount, currency } = duty
  const when = days === 0 ? t('home.today') : t('home.days', { count: days })
  return (
    <Link className={`home-item ${days <= 3 ? 'troubled' : ''}`} to={`/app/contract/${id}`}>
      <Icon name={kind === 'pay' ? 'price' : 'waiting'} />
      <span className="home-words">
        <strong>
          {kind === 'pay'
            ? t('home.unpaid', { name, type: t(`type.${type}`), due: date })
            : t('home.expiring', { name, date })}
        </strong>
        <span>
          {kind === 'pay' && amount ? <Amount currency={currency} amount={amount} /> : t('home.expiringText')}
        </span>
      </span>
      <span className="home-fresh">{when}</span>
      <Icon name="right" size={16} />
    </Link>
  )
}
