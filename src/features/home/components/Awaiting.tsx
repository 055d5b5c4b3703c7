import { useEffect } from 'react'
import { Link } from 'react-router-dom'
import { readEntries } from '#local/waiting.ts'
import { readList } from '#local/lists.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { useLive } from '#state/live.ts'
import { Freshness } from '#ui/Freshness.tsx'
import { Icon, type IconName } from '#ui/Icon.tsx'
import { Skeleton } from '#ui/Skeleton.tsx'
import { useWords } from '#ui/words.ts'
import { usersFills } from '#contract/users.ts'
import { askInactive, inactiveQuery } from '#features/home/asks.ts'

interface Props {
  companyId: number
  admin: boolean
  /** Something else is due, and says so itself. */
  due: boolean
}

/** What awaits this user; users that are not activated yet are the admin's to look after. */
export function Awaiting({ companyId, admin, due }: Props) {
  const t = useWords('home')
  const entries = useLive(() => readEntries(), [])
  const inactive = useInactive(admin ? companyId : null)
  if (entries === undefined || inactive === undefined) return <Skeleton lines={2} />

  const stuck = entries.filter(({ state }) => state !== 'waiting' && state !== 'sending').length
  const waiting = entries.length - stuck
  const nobody = inactive === null || inactive.count === 0
  if (due && stuck + waiting === 0 && nobody) return null
  return (
    <section className="home-part" aria-labelledby="home-awaits">
      <h2 id="home-awaits">{t('awaits')}</h2>
      {stuck + waiting === 0 && nobody ? (
        <div className="home-nothing">
          <Icon name="check" />
          <p>
            <strong>{t('nothing')}</strong> {t('nothingText')}
          </p>
        </div>
      ) : (
        <ul className="home-list">
          {stuck > 0 && (
            <Item
              icon="alert"
              tone="troubled"
              to="/app/outbox"
              title={t('refused', { count: stuck })}
              text={t('refusedText')}
            />
          )}
          {waiting > 0 && (
            <Item
              icon="waiting"
              tone="pending"
              to="/app/outbox"
              title={t('waiting', { count: waiting })}
              text={t('waitingText')}
            />
          )}
          {!nobody && (
            <Item
              icon="mail"
              to="/app/user?statusType=0"
              title={t('inactive', { count: inactive.count })}
              text={t('inactiveText')}
            >
              <Freshness fresh={inactive} />
            </Item>
          )}
        </ul>
      )}
    </section>
  )
}

interface ItemProps {
  icon: IconName
  tone?: 'pending' | 'troubled'
  to: string
  title: string
  text: string
  children?: React.ReactNode
}

function Item({ icon, tone, to, title, text, children }: ItemProps) {
  return (
    <li>
      <Link className={`home-item ${tone ?? ''}`} to={to}>
        <Icon name={icon} />
        <span className="home-words">
          <strong>{title}</strong>
          <span>{text}</span>
        </span>
        {children && <span className="home-fresh">{children}</span>}
        <Icon name="right" size={16} />
      </Link>
    </li>
  )
}

/** Null: not this user's matter. Asked for when the page comes and when the line is back; shown from the device. */
function useInactive(companyId: number | null) {
  const dispatch = useDispatch()
  const { line } = useConnection()
  useEffect(() => {
    if (companyId !== null && line === 'online') void dispatch(askInactive(companyId))
  }, [dispatch, companyId, line])
  return useLive(
    async () => (companyId === null ? null : await readList(usersFills, inactiveQuery(companyId))),
    [companyId],
  )
}
