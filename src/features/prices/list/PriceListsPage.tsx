import { lazy, Suspense, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { PriceRow } from '#contract/prices.ts'
import { getClientType } from '#domain/access.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useClientType } from '#state/client-type.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { useList } from '#state/use-list.ts'
import { buildHistoryPath } from '#ui/links/history-path.ts'
import { useListUrl } from '#state/use-list-url.ts'
import { useNewRows } from '#state/use-new-rows.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import type { RowAction } from '#ui/list/column.ts'
import { DataList } from '#ui/list/DataList.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { renderRowMark } from '#ui/list/PendingMark.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import { Page } from '#ui/page/Page.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { buildColumns } from '#features/prices/list/columns.tsx'
import { EmptyList } from '#features/prices/list/EmptyList.tsx'
import { getReinstateBlockReason } from '#features/prices/price-list-state.ts'
import { viewFunctions } from '#features/prices/list-url.ts'
import { Tabs } from '#features/prices/list/Tabs.tsx'
import { useExport } from '#features/prices/list/useExport.ts'
import { usePriceListUses } from '#features/prices/withdrawn/usePriceListUses.ts'
import { useCachedFullLists, usePriceLists } from '#features/prices/usePriceLists.ts'
import { PriceStyles } from '#features/prices/PriceStyles.tsx'
import { getNewPriceListPath, getPriceListPath } from '#features/prices/paths.ts'
import { priceListsSlice } from '#features/prices/slice.ts'

const RemoveDialog = lazy(async () => ({
  default: (await import('#features/prices/list/RemoveDialog.tsx')).RemoveDialog,
}))
const ReinstateDialog = lazy(async () => ({
  default: (await import('#features/prices/withdrawn/ReinstateDialog.tsx')).ReinstateDialog,
}))
const ImportDialog = lazy(async () => ({
  default: (await import('#features/prices/import/ImportDialog.tsx')).ImportDialog,
}))

type OverlaidPriceList = OverlaidRow<PriceRow>

/** What is charged from which day on: the lists of one client type, which of them counts today, and those withdrawn (contracts 2, M145). */
export function PriceListsPage() {
  const { t } = useTranslation('prices')
  const { t: tUi } = useTranslation('ui')
  const navigate = useNavigate()
  const { isSessionExpired, networkState: connection } = useConnection()
  const { caller } = useSignedInSession()
  const type = useClientType(getClientType)
  const { view, changeView: change } = useListUrl(viewFunctions, priceListsSlice)
  const { newRowRefs: newRows, clear } = useNewRows(priceListsSlice, type)
  const isNarrow = useNarrow()
  const listState = useList(priceListsSlice, {
    scope: null,
    view: { ...view, type },
    newRowRefs: newRows,
    isGrowing: isNarrow,
  })
  const { rows, count, freshness, isFetching, problem, refetch } = listState
  const { lists, today, getListState } = usePriceLists(type)
  const uses = usePriceListUses(type)
  useCachedFullLists(lists)
  const download = useExport()
  const [listToRemove, setListToRemove] = useState<OverlaidPriceList | null>(null)
  const [listToReinstate, setListToReinstate] = useState<OverlaidPriceList | null>(null)
  const [isImporting, setImporting] = useState(false)
  const offlineReason = connection === 'online' ? null : t('needsConnection')

  /** A confirmed one is withdrawn, and not while orders are priced by it (D81). */
  const getRemoveReason = ({ row }: OverlaidPriceList) => {
    if (isSessionExpired) return tUi('form.lapsed')
    if (!row.confirmed) return null
    return getListState(row) === 'inForce' ? t('withdraw.inForce') : offlineReason
  }
  const getReinstateReason = ({ row }: OverlaidPriceList) =>
    isSessionExpired ? tUi('form.lapsed') : (offlineReason ?? getReinstateBlockReason(t, row, lists ?? [], today))
  const getExportReason = ({ row }: OverlaidPriceList) =>
    typeof row.id === 'number' ? offlineReason : t('export.notYet')
  const getHistoryActions = (row: PriceRow): RowAction<OverlaidPriceList>[] => {
    const auditTrailPath = buildHistoryPath({ code: 'price', name: row.effective_date, access: 'deleteLevel' }, caller)
    if (auditTrailPath === null) return []
    return [{ key: 'history', label: t('act.history'), icon: 'history', onSelect: () => void navigate(auditTrailPath) }]
  }
  const getRowActions = ({ row }: OverlaidPriceList): RowAction<OverlaidPriceList>[] => [
    {
      key: 'edit',
      label: t(row.confirmed ? 'act.open' : 'act.edit'),
      icon: row.confirmed ? 'seen' : 'edit',
      onSelect: () => void navigate(getPriceListPath(row.id)),
    },
    { key: 'saveAs', label: t('act.saveAs'), icon: 'copy', onSelect: () => void navigate(getNewPriceListPath(row.id)) },
    { key: 'export', label: t('act.export'), icon: 'install', getDisabledReason: getExportReason, onSelect: download },
    ...getHistoryActions(row),
    row.withdrawn
      ? {
          key: 'reinstate',
          label: t('act.reinstate'),
          icon: 'check',
          getDisabledReason: getReinstateReason,
          onSelect: setListToReinstate,
        }
      : {
          key: 'remove',
          label: t(row.confirmed ? 'act.withdraw' : 'act.remove'),
          icon: 'remove',
          isDestructive: true,
          getDisabledReason: getRemoveReason,
          onSelect: setListToRemove,
        },
  ]

  return (
    <Page
      title={t('title')}
      intro={t('lead.list')}
      action={
        <>
          <Button
            icon="refresh"
            isIconOnly
            isBusy={isFetching}
            onClick={() => {
              clear()
              refetch()
            }}
          >
            {t('act.refresh')}
          </Button>
          <Button icon="upload" disabledReason={offlineReason} onClick={() => setImporting(true)}>
            {t('act.import')}
          </Button>
          <ButtonLink kind="primary" icon="plus" to={getNewPriceListPath()}>
            {t('act.create')}
          </ButtonLink>
        </>
      }
    >
      <PriceStyles />
      <LoadProblem problem={problem} onRetry={refetch} />
      <Tabs view={view} withdrawnCount={lists ? lists.filter((row) => row.withdrawn).length : null} />
      <DataList
        caption={view.tab === 'withdrawn' ? t('tab.withdrawn') : t('title')}
        formatCount={(count) => t('counted', { count, number: formatNumber(count) })}
        columns={buildColumns(t, getListState, uses, isNarrow, view.tab)}
        rows={rows}
        getRowKey={({ row }) => String(row.id)}
        getRowName={({ row }) => t('named', { day: row.effective_date, desc: row.desc })}
        getRowPath={({ row }) => getPriceListPath(row.id)}
        renderMark={renderRowMark}
        actions={getRowActions}
        sort={view.sort}
        onSort={(sort) => change({ sort })}
        isGrowing={isNarrow}
        page={view.page}
        pageSize={view.results}
        count={count}
        onPage={(page, isCorrection) => change({ page }, isCorrection)}
        onPageSize={(results) => change({ results })}
        freshness={freshness}
        isFetching={isFetching}
        problem={problem}
        emptyContent={
          <EmptyList
            isRead={freshness.asOf !== null}
            tab={view.tab}
            page={view.page}
            onFirst={() => change({ page: 1 })}
          />
        }
      />
      <Suspense fallback={null}>
        {listToRemove && (
          <RemoveDialog
            overlaidRow={listToRemove}
            onClose={() => setListToRemove(null)}
            onDone={() => {
              setListToRemove(null)
              refetch()
            }}
          />
        )}
        {listToReinstate && (
          <ReinstateDialog
            overlaidRow={listToReinstate}
            today={today}
            onClose={() => setListToReinstate(null)}
            onDone={() => {
              setListToReinstate(null)
              refetch()
            }}
          />
        )}
        {isImporting && <ImportDialog type={type} onClose={() => setImporting(false)} />}
      </Suspense>
    </Page>
  )
}
