import '#ui/icons/order-icons.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { readKeptState } from '#local/audit-trail/kept-state.ts'
import { lazy, Suspense, useMemo } from 'react'
import { listTrail } from '#contract/audit-trail.ts'
import { type AuditEntryRow, countedMost } from '#domain/audit-log/leaf.ts'
import { useConnection, useSignedIn } from '#state/hooks.ts'
import { useListing } from '#state/use-list-url.ts'
import { Button } from '#ui/display/Button.tsx'
import { DataList } from '#ui/list/DataList.tsx'
import { businessTime, useBusinessZone } from '#ui/page/business-clock.ts'
import { number, readingTime } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Menu } from '#ui/overlay/Menu.tsx'
import { Page } from '#ui/page/Page.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { EntryDrawer } from '#features/audit-trail/entry/EntryDrawer.tsx'
import { rowsOf } from '#features/audit-trail/entry/read-entry.ts'
import { useEntryWords } from '#features/audit-trail/entry-words.ts'
import { ActivityPanel } from '#features/audit-trail/list/ActivityPanel.tsx'
import { columns } from '#features/audit-trail/list/columns.tsx'
import { NoEntries } from '#features/audit-trail/list/EmptyList.tsx'
import { type CompanyFilter, Filters } from '#features/audit-trail/list/Filters.tsx'
import {
  allowed,
  changeView,
  lastPage,
  queryOf,
  readView,
  remembered,
  type View,
  writeView,
} from '#features/audit-trail/list/list-url.ts'
import { selectSavedQuery, viewChanged } from '#features/audit-trail/list/slice.ts'
import { TrailPages } from '#features/audit-trail/list/TrailPages.tsx'
import { type Answer, useAnswer } from '#features/audit-trail/list/useAnswer.ts'
import { type Format, useExport } from '#features/audit-trail/list/useExport.ts'
import { Sheet } from '#features/audit-trail/TrailStyles.tsx'

const KeepOffline = lazy(async () => ({
  default: (await import(/* chunk: trail-device */ '#features/audit-trail/offline/KeepOffline.tsx')).KeepOffline,
}))

const ways = { read: readView, write: writeView, change: changeView, remembered }
const saved = { selectSavedQuery, viewChanged }

const LogWatch = lazy(async () => ({
  default: (await import(/* chunk: trail-device */ '#features/audit-trail/offline/LogWatch.tsx')).LogWatch,
}))

/** Who did what, and when (contracts 2, M131 to M134): of the own company, or of a customer for the provider's staff. */
export function Trail({ CompanyFilter }: { CompanyFilter: CompanyFilter }) {
  const { t } = useTranslation('audit')
  const { user, caller } = useSignedIn()
  const { view: addressed, change } = useListing(ways, saved)
  const view = allowed(addressed, caller)
  const words = useEntryWords()
  const isOnline = useConnection().line === 'online'
  const { answer, earlier, problem, isFetching, refetch } = useAnswer(listTrail, { query: queryOf(view) })
  const shown = answer ?? (isFetching ? earlier : null)
  const rows = useMemo(() => shown && rowsOf(shown.output), [shown])
  const drawnColumns = useMemo(() => columns(t, words), [t, words])
  const sorting = { columns: drawnColumns, sort: view.sort, onSort: (sort: View['sort']) => change({ sort }) }
  const [count, isMore] = [shown?.output.count ?? 0, shown?.output.more === true]
  const last = rows?.at(-1)
  const isFull = rows?.length === view.results
  const withNumbers = lastPage(view) * view.results
  const beyond = view.after !== null || isMore || count > withNumbers
  const goBehind = last && isFull ? () => change({ after: last.id }) : null
  const list = rows ?? (answer === null || problem ? [] : undefined)
  return (
    <Page
      title={t('title')}
      intro={t('lead')}
      action={<Acts view={view} answer={shown} busy={isFetching} onRefresh={refetch} own={user.company_id} />}
    >
      <Sheet />
      {shown && (
        <Suspense fallback={null}>
          <LogWatch companyId={view.company ?? user.company_id} isOnline={isOnline} />
        </Suspense>
      )}
      <Filters view={view} rows={rows ?? []} sorting={sorting} CompanyFilter={CompanyFilter} onChange={change} />
      {/* Offline the rows that are here, or the word that there are none, say all there is to say. */}
      <LoadProblem problem={problem} onRetry={refetch} />
      <ActivityPanel view={view} onRange={change} />
      {shown?.days && (
        <p className="trail-partly" role="status">
          <Icon name="offline" size={16} />
          {shown.days.to === null
            ? t('partly.from', { from: shown.days.from })
            : t('partly.days', { from: shown.days.from, to: shown.days.to })}
        </p>
      )}
      <div className="trail-list">
        <DataList
          caption={t('caption')}
          counted={() =>
            isMore ? t('countedMore', { number: number(countedMost) }) : t('counted', { count, number: number(count) })
          }
          columns={drawnColumns}
          rows={list}
          rowKey={keyOf}
          rowName={(row) => `${row.end_time} ${words.typeOf(row)}`}
          rowTo={(row) => `?${writeView(changeView(view, { open: row.id }))}`}
          sort={view.sort}
          onSort={sorting.onSort}
          page={view.page}
          results={view.results}
          count={Math.min(count, withNumbers)}
          onPage={(page, isCorrection) => change({ page, after: null }, isCorrection)}
          onResults={(results) => change({ results })}
          pager={
            beyond ? (
              <TrailPages
                page={view.page}
                pages={lastPage(view)}
                isBehind={view.after !== null}
                onPage={(page) => change({ page, after: null })}
                onNext={goBehind}
              />
            ) : undefined
          }
          fresh={{
            asOf: shown?.asOf ?? null,
            here: rows?.length ?? 0,
            total: count,
            complete: true,
            isKept: shown?.isKept ?? true,
          }}
          isFetching={isFetching}
          problem={problem}
          empty={<NoEntries view={view} problem={problem} read={Boolean(answer)} onChange={change} />}
        />
      </div>
      {view.open !== null && (
        <EntryDrawer
          id={view.open}
          company={view.company}
          rows={list}
          onOpen={(open) => change({ open })}
          onClose={() => change({ open: null })}
        />
      )}
    </Page>
  )
}

const keyOf = (row: AuditEntryRow) => String(row.id)

interface ActsProps {
  view: View
  answer: Answer<unknown> | null
  busy: boolean
  /** Id of the own company. */
  own: number
  onRefresh: () => void
}

function Acts({ view, answer, busy, own, onRefresh }: ActsProps) {
  const { t } = useTranslation('audit')
  const isOnline = useConnection().line === 'online'
  const zone = useBusinessZone()
  const file = useExport(view)
  const company = view.company ?? own
  const kept = useLiveQuery(() => readKeptState(company), [company])?.kept
  // What is kept here the device writes down by itself, as CSV.
  const whyNot = (format: Format) => (isOnline || (format === 'csv' && kept) ? null : t('export.offline'))
  return (
    <>
      {answer && (
        <time
          className="trail-updated"
          dateTime={new Date(answer.asOf).toISOString()}
          title={`${businessTime(answer.asOf)} ${zone}`}
        >
          {t('updated', { at: readingTime(answer.asOf) })}
        </time>
      )}
      <Button icon="refresh" bare busy={busy} onClick={onRefresh}>
        {t('refresh')}
      </Button>
      <Suspense fallback={null}>
        <KeepOffline companyId={company} />
      </Suspense>
      <Menu
        label={t('export.open')}
        icon="install"
        bare={false}
        kind="quiet"
        items={(['csv', 'xlsx'] as const).map((format) => ({
          key: format,
          label: t(`export.${format}`),
          whyNot: file.busy ? t('export.begun') : whyNot(format),
          onSelect: () => file.save(format),
        }))}
      />
    </>
  )
}
