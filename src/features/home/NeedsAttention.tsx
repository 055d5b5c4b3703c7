import { Link } from 'react-router-dom'
import { readEntries } from '#local/outbox/read-entries.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useList } from '#state/use-list.ts'
import { Freshness } from '#ui/list/Freshness.tsx'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { inactiveUsersList, view } from '#features/home/inactive-users.ts'

interface Props {
  companyId: number
  admin: boolean
  /** What else may be due, which says so itself. */
  due: Due
}

/** `asking`: this device has not read it yet; `unknown`: nor can it read it now. */
export type Due = 'some' | 'none' | 'asking' | 'unknown'

/** What awaits this user; users that are not activated yet are the admin's to look after. */
export function Awaiting({ companyId, admin, due }: Props) {
  const { t } = useTranslation('home')
  const entries = useLiveQuery(() => readEntries(), [])
  const inactive = useList(inactiveUsersList, { scope: companyId, view, skip: !admin })
  if (entries === undefined || (admin && inactive.rows === undefined)) return <Skeleton lines={2} />

  const stuck = entries.filter(({ state }) => state !== 'waiting' && state !== 'sending').length
  const waiting = entries.length - stuck
  const nobody = inactive.count === 0
  const { asOf, isKept } = inactive.freshness
  // Of a list that was never read it is not known that nothing in it needs anybody.
  const users = !admin || asOf !== null ? 'none' : isKept ? 'unknown' : 'asking'
  const isQuiet = stuck + waiting === 0 && nobody
  if (due === 'some' && isQuiet) return null
  if (isQuiet && (due === 'asking' || users === 'asking')) return <Skeleton lines={2} />
  const isUnknown = due === 'unknown' || users === 'unknown'
  return (
    <section className="home-part" aria-labelledby="home-awaits">
      <h2 id="home-awaits">{t('awaits')}</h2>
      {isQuiet ? (
        <div className="home-nothing">
          <Icon name={isUnknown ? 'info' : 'check'} />
          <p>
            <strong>{t(isUnknown ? 'unknown' : 'nothing')}</strong> {t(isUnknown ? 'unknownText' : 'nothingText')}
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
              <Freshness fresh={inactive.freshness} />
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
