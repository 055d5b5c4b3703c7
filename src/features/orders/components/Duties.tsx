import { useEffect } from 'react'
import { Link } from 'react-router-dom'
import { dateIn } from '#domain/time.ts'
import { getSettings } from '#contract/accounts.ts'
import { readAnswer } from '#local/answers.ts'
import { useConnection, useDispatch, useSignedIn } from '#state/hooks.ts'
import { useLive } from '#state/live.ts'
import { Amount } from '#ui/Amount.tsx'
import { Freshness } from '#ui/Freshness.tsx'
import { Icon } from '#ui/Icon.tsx'
import { useWords } from '#ui/words.ts'
import { plainView } from '#features/orders/address.ts'
import { Sheet } from '#features/orders/components/Sheet.tsx'
import { StatusTag } from '#features/orders/components/StatusTag.tsx'
import { type Duty, dutiesOf, latestOf } from '#features/orders/duties.ts'
import { readOrders } from '#features/orders/list.ts'
import { askOrders, askZone } from '#features/orders/slice.ts'

/** Enough for a company that orders daily; all that the device has is looked through. */
const view = { ...plainView, results: 50 }
const most = 5

/** What of the contracts needs somebody, and what happened last: from the device, so that it stands without a line. */
export function Duties({ onSome }: { onSome: (some: boolean) => void }) {
  const t = useWords('orders')
  const { caller } = useSignedIn()
  const dispatch = useDispatch()
  const online = useConnection().line === 'online'
  const { companyId } = caller
  useEffect(() => {
    if (!online) return
    void dispatch(askOrders(companyId, 'saas', view))
    void dispatch(askZone())
  }, [dispatch, companyId, online])
  const list = useLive(() => readOrders(companyId, 'saas', view), [companyId])
  const rows = list?.rows.map(({ row }) => row) ?? []
  const today = useLive(async () => {
    const settings = await readAnswer(getSettings, {})
    return settings && dateIn(settings.time_zone, Date.now())
  }, [])
  // The business day begins for all at once (D31): without its zone nothing is said of days.
  const duties = today ? dutiesOf(rows, today) : []
  const some = duties.length > 0
  useEffect(() => onSome(some), [onSome, some])
  if (!list || rows.length === 0) return <Sheet />
  return (
    <section className="home-part" aria-labelledby="home-contracts">
      <Sheet />
      <h2 id="home-contracts">{t('home.title')}</h2>
      {some && (
        <ul className="home-list">
          {duties.map((duty) => (
            <li key={`${duty.is} ${duty.id} ${duty.type}`}>
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
        <Freshness fresh={list} />
      </p>
    </section>
  )
}

function Item({ duty }: { duty: Duty }) {
  const t = useWords('orders')
  const { is, id, name, date, days, type, amount, currency } = duty
  const when = days === 0 ? t('home.today') : t('home.days', { count: days })
  return (
    <Link className={`home-item ${days <= 3 ? 'troubled' : ''}`} to={`/app/contract/${id}`}>
      <Icon name={is === 'pay' ? 'price' : 'waiting'} />
      <span className="home-words">
        <strong>
          {is === 'pay'
            ? t('home.unpaid', { name, type: t(`type.${type}`), due: date })
            : t('home.expiring', { name, date })}
        </strong>
        <span>{is === 'pay' && amount ? <Amount currency={currency} amount={amount} /> : t('home.expiringText')}</span>
      </span>
      <span className="home-fresh">{when}</span>
      <Icon name="right" size={16} />
    </Link>
  )
}
