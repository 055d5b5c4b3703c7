import '#ui/icons/order-icons.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { readStoredTrailState } from '#local/audit-trail/stored-trail-state.ts'
import { lazy, Suspense, useMemo } from 'react'
import { listTrail } from '#contract/audit-trail.ts'
import { type AuditEntryRow, maxCountedEntries } from '#domain/audit-log/leaf.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { useListUrl } from '#state/use-list-url.ts'
import { Button } from '#ui/display/Button.tsx'
import { DataList } from '#ui/list/DataList.tsx'
import { formatBusinessTime, useBusinessZone } from '#ui/page/business-clock.ts'
import { formatNumber, formatReadingTime } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Menu } from '#ui/overlay/Menu.tsx'
import { Page } from '#ui/page/Page.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { EntryDrawer } from '#features/audit-trail/entry/EntryDrawer.tsx'
import { toEntryRows } from '#features/audit-trail/entry/read-entry.ts'
import { useEntryFormatter } from '#features/audit-trail/use-entry-formatter.ts'
import { ActivityPanel } from '#features/audit-trail/list/ActivityPanel.tsx'
import { buildTrailColumns } from '#features/audit-trail/list/columns.tsx'
import { EmptyTrail } from '#features/audit-trail/list/EmptyTrail.tsx'
import { type TrailCompanyFilter, TrailFilters } from '#features/audit-trail/list/TrailFilters.tsx'
import {
  restrictView,
  changeView,
  getLastPage,
  toListQuery,
  readView,
  toRememberedQuery,
  type TrailView,
  writeView,
} from '#features/audit-trail/list/trail-view.ts'
import { selectSavedTrailQuery, viewChanged } from '#features/audit-trail/list/trail-slice.ts'
import { TrailPages } from '#features/audit-trail/list/TrailPages.tsx'
import { type TrailResponse, useTrailResponse } from '#features/audit-trail/list/useTrailResponse.ts'
import { type ExportFormat, useExport } from '#features/audit-trail/list/useExport.ts'
import type { StoredDays } from '#request/call-results.ts'
import { TrailStyles } from '#features/audit-trail/TrailStyles.tsx'

const StoreTrailButton = lazy(async () => ({
  default: (await import(/* chunk: trail-device */ '#features/audit-trail/offline/StoreTrailButton.tsx'))
    .StoreTrailButton,
}))

const viewFunctions = { read: readView, write: writeView, change: changeView, toSavedQuery: toRememberedQuery }
const savedQueryState = { selectSavedQuery: selectSavedTrailQuery, viewChanged }

const LogWatch = lazy(async () => ({
  default: (await import(/* chunk: trail-device */ '#features/audit-trail/offline/LogWatch.tsx')).LogWatch,
}))

/** Who did what, and when (contracts 2, M131 to M134): of the own company, or of a customer for the provider's staff. */
export function TrailPage({ CompanyFilter }: { CompanyFilter: TrailCompanyFilter }) {
  const { t } = useTranslation('audit')
  const { user, caller } = useSignedInSession()
  const { view: requestedView, changeView: change } = useListUrl(viewFunctions, savedQueryState)
  const view = restrictView(requestedView, caller)
  const entryFormatter = useEntryFormatter()
  const isOnline = useConnection().networkState === 'online'
  const { response, previousResponse, problem, isFetching, refetch } = useTrailResponse(listTrail, {
    query: toListQuery(view),
  })
  const displayedResponse = response ?? (isFetching ? previousResponse : null)
  const rows = useMemo(() => displayedResponse && toEntryRows(displayedResponse.output), [displayedResponse])
  const visibleColumns = useMemo(() => buildTrailColumns(t, entryFormatter), [t, entryFormatter])
  const sorting = { columns: visibleColumns, sort: view.sort, onSort: (sort: TrailView['sort']) => change({ sort }) }
  const [count, isMore] = [displayedResponse?.output.count ?? 0, displayedResponse?.output.more === true]
  const lastRow = rows?.at(-1)
  const numberedCount = getLastPage(view) * view.results
  const isBeyondNumbers = view.after !== null || isMore || count > numberedCount
  const goToNext = lastRow && rows?.length === view.results ? () => change({ after: lastRow.id }) : null
  const listedRows = rows ?? (response === null || problem ? [] : undefined)
  return (
    <Page
      title={t('title')}
      intro={t('lead')}
      action={
        <TrailActions
          view={view}
          response={displayedResponse}
          isBusy={isFetching}
          onRefresh={refetch}
          ownCompanyId={user.company_id}
        />
      }
    >
      <TrailStyles />
      {displayedResponse && (
        <Suspense fallback={null}>
          <LogWatch companyId={view.company ?? user.company_id} isOnline={isOnline} />
        </Suspense>
      )}
      <TrailFilters view={view} rows={rows ?? []} sorting={sorting} CompanyFilter={CompanyFilter} onChange={change} />
      {/* Offline the rows that are here, or the word that there are none, say all there is to say. */}
      <LoadProblem problem={problem} onRetry={refetch} />
      <ActivityPanel view={view} onRange={change} />
      {displayedResponse?.days && <StoredDaysNote days={displayedResponse.days} />}
      <div className="trail-list">
        <DataList
          caption={t('caption')}
          formatCount={() =>
            isMore
              ? t('countedMore', { number: formatNumber(maxCountedEntries) })
              : t('counted', { count, number: formatNumber(count) })
          }
          columns={visibleColumns}
          rows={listedRows}
          getRowKey={toRowKey}
          getRowName={(row) => `${row.end_time} ${entryFormatter.formatType(row)}`}
          getRowPath={(row) => `?${writeView(changeView(view, { open: row.id }))}`}
          sort={view.sort}
          onSort={sorting.onSort}
          page={view.page}
          pageSize={view.results}
          count={Math.min(count, numberedCount)}
          onPage={(page, isCorrection) => change({ page, after: null }, isCorrection)}
          onPageSize={(results) => change({ results })}
          pager={
            isBeyondNumbers ? (
              <TrailPages
                page={view.page}
                pageCount={getLastPage(view)}
                isBeyondNumbers={view.after !== null}
                onPage={(page) => change({ page, after: null })}
                onNext={goToNext}
              />
            ) : undefined
          }
          freshness={{
            asOf: displayedResponse?.asOf ?? null,
            cachedCount: rows?.length ?? 0,
            total: count,
            complete: true,
            isCached: displayedResponse?.isCached ?? true,
          }}
          isFetching={isFetching}
          problem={problem}
          emptyContent={<EmptyTrail view={view} problem={problem} wasAnswered={Boolean(response)} onChange={change} />}
        />
      </div>
      {view.open !== null && (
        <EntryDrawer
          id={view.open}
          companyId={view.company}
          rows={listedRows}
          onOpen={(open) => change({ open })}
          onClose={() => change({ open: null })}
        />
      )}
    </Page>
  )
}

/** Says that only the days are shown which are stored on this device. */
function StoredDaysNote({ days: { from, to } }: { days: StoredDays }) {
  const { t } = useTranslation('audit')
  return (
    <p className="trail-partly" role="status">
      <Icon name="offline" size={16} />
      {to === null ? t('partly.from', { from }) : t('partly.days', { from, to })}
    </p>
  )
}

const toRowKey = (row: AuditEntryRow) => String(row.id)

interface TrailActionsProps {
  view: TrailView
  response: TrailResponse<unknown> | null
  isBusy: boolean
  /** Id of the own company. */
  ownCompanyId: number
  onRefresh: () => void
}

function TrailActions({ view, response, isBusy, ownCompanyId, onRefresh }: TrailActionsProps) {
  const { t } = useTranslation('audit')
  const isOnline = useConnection().networkState === 'online'
  const timeZone = useBusinessZone()
  const exportFile = useExport(view)
  const companyId = view.company ?? ownCompanyId
  const storedTrail = useLiveQuery(() => readStoredTrailState(companyId), [companyId])?.storedTrail
  // What is kept here the device writes down by itself, as CSV.
  const getExportReason = (format: ExportFormat) =>
    isOnline || (format === 'csv' && storedTrail) ? null : t('export.offline')
  return (
    <>
      {response && (
        <time
          className="trail-updated"
          dateTime={new Date(response.asOf).toISOString()}
          title={`${formatBusinessTime(response.asOf)} ${timeZone}`}
        >
          {t('updated', { at: formatReadingTime(response.asOf) })}
        </time>
      )}
      <Button icon="refresh" isIconOnly isBusy={isBusy} onClick={onRefresh}>
        {t('refresh')}
      </Button>
      <Suspense fallback={null}>
        <StoreTrailButton companyId={companyId} />
      </Suspense>
      <Menu
        label={t('export.open')}
        icon="install"
        isIconOnly={false}
        kind="quiet"
        items={(['csv', 'xlsx'] as const).map((format) => ({
          key: format,
          label: t(`export.${format}`),
          disabledReason: exportFile.isBusy ? t('export.begun') : getExportReason(format),
          onSelect: () => exportFile.save(format),
        }))}
      />
    </>
  )
}
