import { useCallback, useMemo, useState } from 'react'
import type { ServiceRow } from '#contract/services.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch } from '#state/hooks.ts'
import { useLiveChanges } from '#state/live-changes.ts'
import { useList } from '#state/use-list.ts'
import { useListing } from '#state/use-list-url.ts'
import { Button } from '#ui/display/Button.tsx'
import type { RowAction } from '#ui/list/column.ts'
import { DataList } from '#ui/list/DataList.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import { Page } from '#ui/page/Page.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { AddressDialog } from '#features/services/Addresses.tsx'
import { columns } from '#features/services/list/columns.tsx'
import { type CompanyFilter, Filters } from '#features/services/list/Filters.tsx'
import { changeView, readView, remembered, type View, writeView } from '#features/services/list-url.ts'
import { NoServices } from '#features/services/list/EmptyList.tsx'
import { RecheckButton } from '#features/services/list/RecheckButton.tsx'
import { useServiceJobs } from '#features/services/operations/jobs.ts'
import { useMoves } from '#features/services/operations/useMoves.tsx'
import { Sheet } from '#features/services/ServiceStyles.tsx'
import { refreshServices, servicesList } from '#features/services/slice.ts'

const ways = { read: readView, write: writeView, change: changeView, remembered }

type Listed = OverlaidRow<ServiceRow>

/** The hosted services of all customers, for the provider's admins (contracts 2, M111), from the device; the server is asked beside it. */
export function Services({ CompanyFilter }: { CompanyFilter: CompanyFilter }) {
  const { t } = useTranslation('services')
  const dispatch = useDispatch()
  const { view, change } = useListing(ways, servicesList)
  const grows = useNarrow()
  const { rows, count, freshness, isFetching, problem, refetch } = useList(servicesList, { scope: null, view, grows })
  const refresh = useCallback(() => void dispatch(refreshServices(view)), [dispatch, view])
  useLiveChanges('services', refresh)
  const jobs = useServiceJobs()
  const moves = useMoves({ jobs, logPath: ({ id }) => `/app/service/${id}/log`, onDone: refresh })
  const [addresses, setAddresses] = useState<ServiceRow | null>(null)
  const drawnColumns = useMemo(() => columns(t), [t])
  const sorting = { columns: drawnColumns, sort: view.sort, onSort: (sort: View['sort']) => change({ sort }) }
  const actions = ({ row }: Listed): RowAction<Listed>[] =>
    moves.itemsOf(row).map(({ key, label, icon = 'more', danger = false, whyNot, onSelect }) => ({
      key,
      label,
      icon,
      danger,
      ...(key === 'reset' ? { own: 'icon' } : {}),
      whyNot: () => whyNot ?? null,
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
      <Sheet />
      <Filters view={view} sorting={sorting} CompanyFilter={CompanyFilter} onChange={change} />
      {/* Offline the rows that are here, or the word that there are none, say all there is to say. */}
      <LoadProblem problem={problem} onRetry={refetch} />
      <div className="service-list">
        <DataList
          caption={t('caption')}
          counted={(count) => t('counted', { count, number: number(count) })}
          columns={drawnColumns}
          rows={rows}
          rowKey={({ row }) => String(row.id)}
          rowName={({ row }) => row.code}
          rowTo={pathOf}
          beside={({ row }) =>
            row.system_status > 0 && (
              <Button kind="plain" icon="info" bare onClick={() => setAddresses(row)}>
                {t('info.open', { code: row.code })}
              </Button>
            )
          }
          actions={actions}
          sort={view.sort}
          onSort={sorting.onSort}
          grows={grows}
          page={view.page}
          results={view.results}
          count={count}
          onPage={(page, isCorrection) => change({ page }, isCorrection)}
          onResults={(results) => change({ results })}
          fresh={freshness}
          isFetching={isFetching}
          problem={problem}
          empty={<NoServices view={view} read={freshness.asOf !== null} onChange={change} />}
        />
      </div>
      {addresses && <AddressDialog row={addresses} onClose={() => setAddresses(null)} />}
      {moves.dialogs}
    </Page>
  )
}

const pathOf = ({ row }: Listed) => `/app/service/${row.id}`
