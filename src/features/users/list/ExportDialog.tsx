import { useEffect, useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import type { UserRow } from '#contract/users.ts'
import { csvOf } from '#domain/csv.ts'
import { isDeleteLevel } from '#domain/access.ts'
import type { ListView, OverlaidRow } from '#local/lists/list-view.ts'
import { useConnection, useDispatch, useSignedIn } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { number, readingTime } from '#ui/list/Freshness.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { saveFile } from '#ui/display/download-text.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { isFiltered, remembered, type View } from '#features/users/list-url.ts'
import { businessNow, businessZone } from '#ui/page/business-clock.ts'
import { askAllUsers, askZone, fileName, readAllUsers } from '#features/users/list/export-users.ts'

type Rows = readonly OverlaidRow<UserRow>[]

/** Says what will be in the file, and how true it is, before it is written (C-08): all rows of the filter, not one page. */
export function ExportDialog({ view, onClose }: { view: View; onClose: () => void }) {
  const { t } = useTranslation('people')
  const { user } = useSignedIn()
  const { line, lapsed } = useConnection()
  const dispatch = useDispatch()
  const zone = useZone()
  const tableOf = useTable(zone)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const here = useLiveQuery(() => readAllUsers(user.company_id, view), [user.company_id, remembered(view)])
  if (!here) return null
  const asks = !here.complete && line === 'online' && !lapsed
  const count = asks ? (here.total ?? here.count) : here.rows.length

  async function save(known: ListView<UserRow>) {
    setBusy(true)
    const rows = asks ? await dispatch(askAllUsers(user.company_id, view)) : known.rows
    setBusy(false)
    if ('code' in rows) return setProblem(rows)
    const part = asks || known.complete ? null : { here: known.rows.length, total: known.total }
    const asOf = asks || known.asOf === null ? businessNow() : known.asOf
    const name = fileName([t('export.file'), user.company_code], { zone: zone ?? businessZone(), asOf, part })
    saveFile(csvOf(tableOf(rows)), name, 'text/csv;charset=utf-8')
    showToast({ kind: 'done', text: t('export.saved', { name }) })
    onClose()
  }
  const act = (
    <Button
      kind="primary"
      icon="install"
      busy={busy}
      whyNot={count === 0 && t('export.nobody')}
      onClick={() => void save(here)}
    >
      {t('export.do', { count, number: number(count) })}
    </Button>
  )
  return (
    <Dialog open title={t('export.title')} onClose={onClose} act={act}>
      <div className="form">
        <ProblemNote problem={problem} focus />
        <p>{t(isFiltered(view) ? 'export.filtered' : 'export.all')}</p>
        <p role="status">
          <Truth here={here} asks={asks} />
        </p>
        <p className="field-help">{t('export.times', { zone: zone ?? t('export.business') })}</p>
        <p className="field-help">{t('export.format')}</p>
      </div>
    </Dialog>
  )
}

function useZone(): string | null {
  const dispatch = useDispatch()
  const [zone, setZone] = useState<string | null>(null)
  useEffect(() => void dispatch(askZone()).then(setZone), [dispatch])
  return zone
}

function Truth({ here: { rows, total, asOf, complete }, asks }: { here: ListView<UserRow>; asks: boolean }) {
  const { t } = useTranslation('people')
  const waiting = rows.some((shown) => shown.waiting) ? ` ${t('export.waiting')}` : ''
  if (asks) return t('export.fromServer')
  const at = asOf === null ? '' : readingTime(asOf)
  if (complete) return t('export.complete', { at }) + waiting
  const part = { here: number(rows.length), at }
  return (total === null ? t('export.some', part) : t('export.partly', { ...part, total: number(total) })) + waiting
}

/** What the list and the form show, in their words. */
function useTable(zone: string | null) {
  const { t } = useTranslation('people')
  const { t: users } = useTranslation('users')
  const { caller } = useSignedIn()
  const withLevel = isDeleteLevel(caller)
  const inZone = (heading: string) => `${heading} (${zone ?? t('export.business')})`
  const yes = (is: boolean) => t(is ? 'export.yes' : 'export.no')
  return function* tableOf(rows: Rows): Generator<string[]> {
    const waits = rows.some(({ waiting }) => waiting)
    yield [
      users('column.name'),
      users('column.email'),
      users('column.title'),
      users('column.status'),
      users('flag.admin'),
      users('flag.order'),
      users('flag.alert'),
      ...(withLevel ? [t('form.access_level')] : []),
      inZone(t('export.created')),
      inZone(users('column.updated')),
      ...(waits ? [t('export.unsent')] : []),
    ]
    for (const { row, waiting } of rows)
      yield [
        row.name,
        row.email,
        users(`titles.${row.title}`),
        users(`status.${row.status}`),
        yes(row.admin),
        yes(row.order),
        yes(row.alert),
        ...(withLevel ? [t(`levels.${row.access_level}`)] : []),
        row.create_time,
        row.update_time,
        ...(waits ? [yes(waiting !== null)] : []),
      ]
  }
}
