import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
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
import { BusinessTime } from '#ui/page/BusinessTime.tsx'
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
  const [olderCount, setOlderCount] = useState(0)
  const [markedId, setMarkedId] = useState<number | null>(null)
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
  const rowProps = { onOpen, markedId, onMark: setMarkedId }
  const onMore = () => setOlderCount(olderCount + 1)
  return (
    <div className="inbox">
      {unreadRows.length > 0 && <InboxGroup title={t('unread')} rows={unreadRows} {...{ inbox, ...rowProps }} />}
      <DayGroups rows={rows.filter(({ is_read }) => is_read)} {...{ inbox, ...rowProps }} />
      <OlderPages {...{ rows, onMore, ...rowProps }} count={olderCount} hasMore={inbox.hasMore} />
    </div>
  )
}

interface RowProps extends Pick<InboxListProps, 'onOpen'> {
  /** The row that the user marked last. It is focused again if it moves to another group. */
  markedId: number | null
  onMark: (id: number) => void
}

interface OlderPagesProps extends RowProps {
  /** The rows of the page before. */
  rows: readonly NotificationRow[]
  hasMore: boolean
  /** Number of older pages that the user has opened. */
  count: number
  onMore: () => void
}

/** Each page continues after the rows of the one before, so that no row is left out when new ones arrive. */
function OlderPages({ rows, hasMore, count, onMore, ...rowProps }: OlderPagesProps) {
  const { t } = useTranslation('notifications')
  const before = rows.at(-1)?.id
  if (!hasMore || before === undefined) return null
  if (count > 0) return <OlderPage {...{ before, count, onMore, ...rowProps }} />
  return (
    <div data-restores-focus>
      <Button onClick={onMore}>{t('more')}</Button>
    </div>
  )
}

function OlderPage({
  before,
  count,
  onMore,
  ...rowProps
}: Omit<OlderPagesProps, 'rows' | 'hasMore'> & { before: number }) {
  const inbox = useInbox(before)
  const { problem } = inbox
  // Rows that are on the device stay visible while the page is read from another id on.
  const [last, setLast] = useState({ rows: inbox.rows, hasMore: inbox.hasMore })
  if (inbox.rows && inbox.rows !== last.rows) setLast({ rows: inbox.rows, hasMore: inbox.hasMore })
  const { rows, hasMore } = inbox.rows ? inbox : last
  // The pressed button was replaced.
  if (!rows && problem) return <ProblemNote problem={problem} shouldFocus onRetry={() => void inbox.refetch()} />
  if (!rows) return <Skeleton />
  const olderRows = rows.filter(({ id }) => id < before)
  return (
    <>
      <FocusedRows>
        <DayGroups rows={olderRows} {...{ inbox, ...rowProps }} />
      </FocusedRows>
      <OlderPages rows={olderRows} {...{ hasMore, onMore, ...rowProps }} count={count - 1} />
    </>
  )
}

/** Focuses the first of the rows that a press has added, because the pressed button is gone. */
function FocusedRows({ children }: { children: ReactNode }) {
  const groups = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { activeElement } = document
    // A dialog may have taken the focus of the removed button. A user who has moved on keeps theirs.
    if (activeElement !== document.body && activeElement?.contains(groups.current) !== true) return
    groups.current?.querySelector<HTMLElement>('.inbox-row')?.focus()
  }, [])
  return (
    <div className="inbox" ref={groups}>
      {children}
    </div>
  )
}

interface GroupProps extends RowProps {
  rows: readonly NotificationRow[]
  inbox: Inbox
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

function InboxRow({ row, inbox, onOpen, markedId, onMark }: Omit<GroupProps, 'rows'> & { row: NotificationRow }) {
  const { t } = useTranslation('notifications')
  const { caller } = useSignedInSession()
  const path = getNotificationPath(caller, row)
  const className = `inbox-row${row.is_read ? '' : ' unread'}`
  const content = <RowContent row={row} />
  const open = () => {
    inbox.markRead(row)
    if (path !== null) onOpen?.()
    else onMark(row.id)
  }
  const readRow = useRef<HTMLDivElement>(null)
  const shouldFocus = markedId === row.id
  useEffect(() => {
    if (shouldFocus && document.activeElement === document.body) readRow.current?.focus()
  }, [shouldFocus, row.is_read])
  if (path !== null)
    return (
      <li>
        <Link className={className} to={path} onClick={open}>
          {content}
        </Link>
      </li>
    )
  return (
    <li>
      {row.is_read ? (
        <div className={className} tabIndex={-1} ref={readRow}>
          {content}
        </div>
      ) : (
        <button type="button" className={className} onClick={open} title={t('markRead')}>
          {content}
        </button>
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
      <BusinessTime className="inbox-time" time={row.create_time}>
        {isTimeShown ? row.create_time.slice(11, 16) : row.create_time.slice(0, 10)}
      </BusinessTime>
      {detail !== '' && (
        <span className="inbox-detail">
          <TextWithDates text={detail} />
        </span>
      )}
    </>
  )
}
