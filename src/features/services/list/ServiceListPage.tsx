import { useCallback, useMemo, useState } from 'react'
import type { ServiceRow } from '#contract/services.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch } from '#state/use-store.ts'
import { useLiveChanges } from '#state/live-changes.ts'
import { useList } from '#state/use-list.ts'
import { useListUrl } from '#state/use-list-url.ts'
import { Button } from '#ui/display/Button.tsx'
import type { RowAction } from '#ui/list/column.ts'
import { DataList } from '#ui/list/DataList.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import { Page } from '#ui/page/Page.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { AddressDialog } from '#features/services/AddressFacts.tsx'
import { buildServiceColumns } from '#features/services/list/columns.tsx'
import { type ServiceCompanyFilter, ServiceFilters } from '#features/services/list/ServiceFilters.tsx'
import { changeView, readView, toRememberedQuery, type ServicesView, writeView } from '#features/services/view.ts'
import { EmptyServices } from '#features/services/list/EmptyServices.tsx'
import { RecheckButton } from '#features/services/list/RecheckButton.tsx'
import { useServiceJobs } from '#features/services/operations/jobs.ts'
import { useServiceActions } from '#features/services/operations/useServiceActions.tsx'
import { ServiceStyles } from '#features/services/ServiceStyles.tsx'
import { refreshServices, servicesList } from '#features/services/slice.ts'

const viewFunctions = { read: readView, write: writeView, change: changeView, toSavedQuery: toRememberedQuery }

type ServiceListRow = OverlaidRow<ServiceRow>

/** The hosted services of all customers, for the provider's admins (contracts 2, M111), from the device; the server is asked beside it. */
export function ServiceListPage({ CompanyFilter }: { CompanyFilter: ServiceCompanyFilter }) {
  const { t } = useTranslation('services')
  const dispatch = useDispatch()
  const { view, changeView: change } = useListUrl(viewFunctions, servicesList)
  const isNarrow = useNarrow()
  const { rows, count, freshness, isFetching, problem, refetch } = useList(servicesList, {
    scope: null,
    view,
    isGrowing: isNarrow,
  })
  const refresh = useCallback(() => void dispatch(refreshServices(view)), [dispatch, view])
  useLiveChanges('services', refresh)
  const jobs = useServiceJobs()
  const serviceActions = useServiceActions({ jobs, logPath: ({ id }) => `/app/service/${id}/log`, onDone: refresh })
  const [addressRow, setAddressRow] = useState<ServiceRow | null>(null)
  const visibleColumns = useMemo(() => buildServiceColumns(t), [t])
  const sorting = { columns: visibleColumns, sort: view.sort, onSort: (sort: ServicesView['sort']) => change({ sort }) }
  const listRowActions = ({ row }: ServiceListRow): RowAction<ServiceListRow>[] =>
    serviceActions
      .listMenuItems(row)
      .map(({ key, label, icon = 'more', isDestructive: danger = false, disabledReason, onSelect }) => ({
        key,
        label,
        icon,
        isDestructive: danger,
        ...(key === 'reset' ? { directButton: 'icon' } : {}),
        getDisabledReason: () => disabledReason ?? null,
        onSelect,
      }))
  return (
    <Page
      title={t('title')}
      intro={t('lead')}
      action={
        <>
          <Button icon="refresh" onClick={refetch}>
            {t('refresh')}
          </Button>
          <RecheckButton companyId={view.company} onDone={refresh} />
        </>
      }
    >
      <ServiceStyles />
      <ServiceFilters view={view} sorting={sorting} CompanyFilter={CompanyFilter} onChange={change} />
      {/* Offline the rows that are here, or the word that there are none, say all there is to say. */}
      <LoadProblem problem={problem} onRetry={refetch} />
      <div className="service-list">
        <DataList
          caption={t('caption')}
          formatCount={(count) => t('counted', { count, number: formatNumber(count) })}
          columns={visibleColumns}
          rows={rows}
          getRowKey={({ row }) => String(row.id)}
          getRowName={({ row }) => row.code}
          getRowPath={toServicePath}
          renderExtra={({ row }) =>
            row.system_status > 0 && (
              <Button kind="plain" icon="info" isIconOnly onClick={() => setAddressRow(row)}>
                {t('info.open', { code: row.code })}
              </Button>
            )
          }
          actions={listRowActions}
          sort={view.sort}
          onSort={sorting.onSort}
          isGrowing={isNarrow}
          page={view.page}
          pageSize={view.results}
          count={count}
          onPage={(page, isCorrection) => change({ page }, isCorrection)}
          onPageSize={(results) => change({ results })}
          freshness={freshness}
          isFetching={isFetching}
          problem={problem}
          emptyContent={<EmptyServices view={view} wasRead={freshness.asOf !== null} onChange={change} />}
        />
      </div>
      {addressRow && <AddressDialog row={addressRow} onClose={() => setAddressRow(null)} />}
      {serviceActions.dialog}
    </Page>
  )
}

const toServicePath = ({ row }: ServiceListRow) => `/app/service/${row.id}`
