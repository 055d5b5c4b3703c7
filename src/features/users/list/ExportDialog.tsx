import { useEffect, useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import type { UserRow } from '#contract/users.ts'
import { formatCsv } from '#domain/csv.ts'
import { isDeleteLevel } from '#domain/access.ts'
import type { ListView, OverlaidRow } from '#local/lists/list-view.ts'
import { useConnection, useDispatch, useSignedInSession } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { formatNumber, formatReadingTime } from '#ui/list/Freshness.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { downloadText } from '#ui/display/download-text.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { isFiltered, toRememberedQuery, type UsersView } from '#features/users/view.ts'
import { getBusinessNow, getBusinessZone } from '#ui/page/business-clock.ts'
import { fetchAllUsers, fetchTimeZone, buildFileName, readAllUsers } from '#features/users/list/export-users.ts'

type UserRows = readonly OverlaidRow<UserRow>[]

/** Says what will be in the file, and how true it is, before it is written (C-08): all rows of the filter, not one page. */
export function ExportDialog({ view, onClose }: { view: UsersView; onClose: () => void }) {
  const { t } = useTranslation('people')
  const { user } = useSignedInSession()
  const { networkState: connection, isSessionExpired } = useConnection()
  const dispatch = useDispatch()
  const timeZone = useTimeZone()
  const buildTable = useExportTable(timeZone)
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const cachedList = useLiveQuery(() => readAllUsers(user.company_id, view), [user.company_id, toRememberedQuery(view)])
  if (!cachedList) return null
  const shouldFetch = !cachedList.complete && connection === 'online' && !isSessionExpired
  const count = shouldFetch ? (cachedList.total ?? cachedList.count) : cachedList.rows.length

  async function save(list: ListView<UserRow>) {
    setIsBusy(true)
    const rows = shouldFetch ? await dispatch(fetchAllUsers(user.company_id, view)) : list.rows
    setIsBusy(false)
    if ('code' in rows) return setProblem(rows)
    const partialCount = shouldFetch || list.complete ? null : { cachedCount: list.rows.length, total: list.total }
    const asOf = shouldFetch || list.asOf === null ? getBusinessNow() : list.asOf
    const name = buildFileName([t('export.file'), user.company_code], {
      timeZone: timeZone ?? getBusinessZone(),
      asOf,
      partialCount,
    })
    downloadText(formatCsv(buildTable(rows)), name, 'text/csv;charset=utf-8')
    showToast({ kind: 'done', text: t('export.saved', { name }) })
    onClose()
  }
  const saveButton = (
    <Button
      kind="primary"
      icon="install"
      isBusy={isBusy}
      disabledReason={count === 0 && t('export.nobody')}
      onClick={() => void save(cachedList)}
    >
      {t('export.do', { count, number: formatNumber(count) })}
    </Button>
  )
  return (
    <Dialog open title={t('export.title')} onClose={onClose} action={saveButton}>
      <div className="form">
        <ProblemNote problem={problem} shouldFocus />
        <p>{t(isFiltered(view) ? 'export.filtered' : 'export.all')}</p>
        <p role="status">
          <ExportNote cachedList={cachedList} shouldFetch={shouldFetch} />
        </p>
        <p className="field-help">{t('export.times', { zone: timeZone ?? t('export.business') })}</p>
        <p className="field-help">{t('export.format')}</p>
      </div>
    </Dialog>
  )
}

function useTimeZone(): string | null {
  const dispatch = useDispatch()
  const [timeZone, setTimeZone] = useState<string | null>(null)
  useEffect(() => void dispatch(fetchTimeZone()).then(setTimeZone), [dispatch])
  return timeZone
}

function ExportNote({
  cachedList: { rows, total, asOf, complete: isComplete },
  shouldFetch,
}: {
  cachedList: ListView<UserRow>
  shouldFetch: boolean
}) {
  const { t } = useTranslation('people')
  const waiting = rows.some((overlaidRow) => overlaidRow.waiting) ? ` ${t('export.waiting')}` : ''
  if (shouldFetch) return t('export.fromServer')
  const readingTime = asOf === null ? '' : formatReadingTime(asOf)
  if (isComplete) return t('export.complete', { at: readingTime }) + waiting
  const partParams = { cachedCount: formatNumber(rows.length), at: readingTime }
  return (
    (total === null
      ? t('export.some', partParams)
      : t('export.partly', { ...partParams, total: formatNumber(total) })) + waiting
  )
}

/** What the list and the form show, in their words. */
function useExportTable(timeZone: string | null) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const { caller } = useSignedInSession()
  const isLevelIncluded = isDeleteLevel(caller)
  const addZone = (heading: string) => `${heading} (${timeZone ?? t('export.business')})`
  const toYesNo = (value: boolean) => t(value ? 'export.yes' : 'export.no')
  return function* buildTable(rows: UserRows): Generator<string[]> {
    const hasWaiting = rows.some(({ waiting }) => waiting)
    yield [
      tUsers('column.name'),
      tUsers('column.email'),
      tUsers('column.title'),
      tUsers('column.status'),
      tUsers('flag.admin'),
      tUsers('flag.order'),
      tUsers('flag.alert'),
      ...(isLevelIncluded ? [t('form.access_level')] : []),
      addZone(t('export.created')),
      addZone(tUsers('column.updated')),
      ...(hasWaiting ? [t('export.unsent')] : []),
    ]
    for (const { row, waiting } of rows)
      yield [
        row.name,
        row.email,
        tUsers(`titles.${row.title}`),
        tUsers(`status.${row.status}`),
        toYesNo(row.admin),
        toYesNo(row.order),
        toYesNo(row.alert),
        ...(isLevelIncluded ? [t(`levels.${row.access_level}`)] : []),
        row.create_time,
        row.update_time,
        ...(hasWaiting ? [toYesNo(waiting !== null)] : []),
      ]
  }
}
