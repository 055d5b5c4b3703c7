import { lazy, useState } from 'react'
import type { PriceRow } from '#contract/prices.ts'
import { getClientType } from '#domain/access.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { ListPage } from '#patterns/list-page/ListPage.tsx'
import { useListPage } from '#patterns/list-page/useListPage.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { useClientType } from '#state/client-type.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import type { PriceActivityPart } from '#features/prices/price-activity-part.ts'
import { buildColumns } from '#features/prices/list/columns.tsx'
import { EmptyList } from '#features/prices/list/EmptyList.tsx'
import { Tabs } from '#features/prices/list/Tabs.tsx'
import { usePriceListActions } from '#features/prices/list/usePriceListActions.ts'
import { getNewPriceListPath, getPriceListPath } from '#features/prices/paths.ts'
import { priceListsView } from '#features/prices/price-lists-view.ts'
import { PriceStyles } from '#features/prices/PriceStyles.tsx'
import { priceListsSlice } from '#features/prices/slice.ts'
import { useCachedFullLists, usePriceLists } from '#features/prices/usePriceLists.ts'
import { usePriceListUses } from '#features/prices/withdrawn/usePriceListUses.ts'

const RemoveDialog = lazy(async () => ({
  default: (await import('#features/prices/list/RemoveDialog.tsx')).RemoveDialog,
}))
const ReinstateDialog = lazy(async () => ({
  default: (await import('#features/prices/withdrawn/ReinstateDialog.tsx')).ReinstateDialog,
}))
const ImportDialog = lazy(async () => ({
  default: (await import('#features/prices/import/ImportDialog.tsx')).ImportDialog,
}))

type OpenDialog = { kind: 'remove' | 'reinstate'; overlaidRow: OverlaidRow<PriceRow> } | { kind: 'import' }

/** Lists the price lists of one client type with their state, including withdrawn lists (contracts 2, M145). */
export function PriceListsPage({ ActivityPart }: { ActivityPart: PriceActivityPart }) {
  const { t } = useTranslation('prices')
  const offlineReason = useOfflineReason(t('needsConnection'))
  const type = useClientType(getClientType)
  const list = useListPage(priceListsSlice, priceListsView, { scope: null, extra: { type } })
  const { tab } = list.view
  const { lists, today, getListState } = usePriceLists(type)
  const uses = usePriceListUses(type)
  useCachedFullLists(lists)
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null)
  const closeDialog = () => setOpenDialog(null)
  const closeAndRefetch = () => {
    closeDialog()
    list.refetch()
  }
  const getRowActions = usePriceListActions({
    lists,
    today,
    getListState,
    onRemove: (overlaidRow) => setOpenDialog({ kind: 'remove', overlaidRow }),
    onReinstate: (overlaidRow) => setOpenDialog({ kind: 'reinstate', overlaidRow }),
  })
  return (
    <ListPage
      list={list}
      title={t('title')}
      intro={t('lead.list')}
      tools={[
        {
          key: 'refresh',
          label: t('act.refresh'),
          icon: 'refresh',
          isIconOnly: true,
          isBusy: list.isFetching,
          onSelect: list.refresh,
        },
        {
          key: 'import',
          label: t('act.import'),
          icon: 'upload',
          hasDialog: true,
          disabledReason: offlineReason,
          onSelect: () => setOpenDialog({ kind: 'import' }),
        },
      ]}
      action={
        <ButtonLink kind="primary" icon="plus" to={getNewPriceListPath()}>
          {t('act.create')}
        </ButtonLink>
      }
      exportAs={{ name: t('title') }}
      beforeFilters={<PriceStyles />}
      beforeList={<Tabs view={list.view} withdrawnCount={lists ? lists.filter((row) => row.withdrawn).length : null} />}
      caption={t(tab === 'withdrawn' ? 'tab.withdrawn' : 'title')}
      formatCount={(numbers) => t('counted', numbers)}
      columns={buildColumns(t, getListState, uses, list.isGrowing, tab)}
      getRowName={({ row }) => t('named', { day: row.effective_date, desc: row.desc })}
      getRowPath={({ row }) => getPriceListPath(row.id)}
      actions={getRowActions}
      empty={{
        notHere: { title: t('empty.notHere'), text: t('empty.notHereText') },
        none: <EmptyList view={list.view} onFirstPage={() => list.changeView({ page: 1 })} />,
      }}
    >
      {/* Not below the placeholder, which is higher than the rows. */}
      {(list.freshness.asOf !== null || list.freshness.isCached) && <ActivityPart refreshKey={list.freshness.asOf} />}
      {openDialog?.kind === 'remove' && (
        <RemoveDialog overlaidRow={openDialog.overlaidRow} onClose={closeDialog} onDone={closeAndRefetch} />
      )}
      {openDialog?.kind === 'reinstate' && (
        <ReinstateDialog
          {...{ today }}
          overlaidRow={openDialog.overlaidRow}
          onClose={closeDialog}
          onDone={closeAndRefetch}
        />
      )}
      {openDialog?.kind === 'import' && <ImportDialog type={type} onClose={closeDialog} />}
    </ListPage>
  )
}
