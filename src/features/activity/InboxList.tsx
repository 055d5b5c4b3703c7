import { useId, useState } from 'react'
import { Link } from 'react-router-dom'
import '#features/activity/inbox.css'
import type { NotificationRow } from '#contract/notifications.ts'
import { addDays } from '#domain/plain-dates.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { TextWithDates } from '#ui/display/TextWithDates.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useToday } from '#ui/page/use-today.ts'
import { useTranslation } from 'react-i18next'
import { formatNotification, getNotificationPath, iconByKind } from '#features/activity/notification-text.ts'
import { type Inbox, useInbox } from '#features/activity/useInbox.ts'

interface InboxListProps {
  inbox: Inbox
  /** Called when the user opens the page of a notification. */
  onOpen?: (() => void) | undefined
}

/** The notifications of the user: unread ones first, then by day. */
export function InboxList({ inbox, onOpen }: InboxListProps) {
  const { t } = useTranslation('notifications')
  const [olderPages, setOlderPages] = useState<readonly number[]>([])
  const { rows, problem } = inbox
  if (rows === undefined || (rows === null && !problem)) return <Skeleton />
  if (rows === null) return <ProblemNote problem={problem} onRetry={() => void inbox.refetch()} />
  if (rows.length === 0)
    return (
      <EmptyState icon="activity" title={t('empty')}>
        <p>{t('emptyText')}</p>
      </EmptyState>
    )
  const unreadRows = rows.filter(({ is_read }) => !is_read)
  const addPage = (before: number) => setOlderPages([...olderPages, before])
  return (
    <div className="inbox">
      {unreadRows.length > 0 && <InboxGroup title={t('unread')} rows={unreadRows} {...{ inbox, onOpen }} />}
      <DayGroups rows={rows.filter(({ is_read }) => is_read)} {...{ inbox, onOpen }} />
      {olderPages.map((before) => (
        <OlderPage key={before} {...{ before, onOpen }} isLast={before === olderPages.at(-1)} onMore={addPage} />
      ))}
      {olderPages.length === 0 && inbox.hasMore && <MoreButton rows={rows} onMore={addPage} />}
    </div>
  )
}

interface OlderPageProps extends Pick<InboxListProps, 'onOpen'> {
  before: number
  isLast: boolean
  onMore: (before: number) => void
}

function OlderPage({ before, isLast, onOpen, onMore }: OlderPageProps) {
  const inbox = useInbox(before)
  const { rows, problem } = inbox
  if (rows === undefined || (rows === null && !problem)) return <Skeleton />
  if (rows === null) return <ProblemNote problem={problem} onRetry={() => void inbox.refetch()} />
  return (
    <>
      <DayGroups {...{ rows, inbox, onOpen }} />
      {isLast && inbox.hasMore && <MoreButton {...{ rows, onMore }} />}
    </>
  )
}

function MoreButton({ rows, onMore }: { rows: readonly NotificationRow[]; onMore: (before: number) => void }) {
  const { t } = useTranslation('notifications')
  return (
    <div>
      <Button onClick={() => onMore(rows.at(-1)?.id ?? 0)}>{t('more')}</Button>
    </div>
  )
}

interface GroupProps extends InboxListProps {
  rows: readonly NotificationRow[]
}

function DayGroups({ rows, ...props }: GroupProps) {
  const { t } = useTranslation('notifications')
  const today = useToday(null)
  const days = [...new Set(rows.map(({ create_time }) => create_time.slice(0, 10)))]
  const formatDay = (day: string) => (day === today ? t('today') : day === addDays(today, -1) ? t('yesterday') : day)
  return (
    <>
      {days.map((day) => (
        <InboxGroup
          key={day}
          title={formatDay(day)}
          rows={rows.filter(({ create_time }) => create_time.startsWith(day))}
          {...props}
        />
      ))}
    </>
  )
}

function InboxGroup({ title, rows, ...props }: GroupProps & { title: string }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="inbox-group">
        {title}
      </h2>
      <ul className="inbox-rows">
        {rows.map((row) => (
          <InboxRow key={row.id} row={row} {...props} />
        ))}
      </ul>
    </section>
  )
}

function InboxRow({ row, inbox, onOpen }: InboxListProps & { row: NotificationRow }) {
  const { t } = useTranslation('notifications')
  const { caller } = useSignedInSession()
  const path = getNotificationPath(caller, row)
  const className = `inbox-row${row.is_read ? '' : ' unread'}`
  const content = <RowContent row={row} />
  const open = () => {
    inbox.markRead(row)
    if (path !== null) onOpen?.()
  }
  return (
    <li>
      {path === null ? (
        <button type="button" className={className} onClick={open} title={row.is_read ? undefined : t('markRead')}>
          {content}
        </button>
      ) : (
        <Link className={className} to={path} onClick={open}>
          {content}
        </Link>
      )}
    </li>
  )
}

function RowContent({ row }: { row: NotificationRow }) {
  const { t } = useTranslation('notifications')
  const today = useToday(null)
  const { title, detail } = formatNotification(t, row)
  // The day of a read notification is the heading of its group.
  const isTimeShown = row.is_read || row.create_time.startsWith(today)
  return (
    <>
      <Icon name={iconByKind[row.kind]} />
      <span className="inbox-title">
        {!row.is_read && <span className="sr-only">{t('unreadPrefix')}</span>}
        {title}
      </span>
      <time className="inbox-time" dateTime={row.create_time.replace(' ', 'T')}>
        {isTimeShown ? row.create_time.slice(11, 16) : row.create_time.slice(0, 10)}
      </time>
      {detail !== '' && (
        <span className="inbox-detail">
          <TextWithDates text={detail} />
        </span>
      )}
    </>
  )
}
