import '#ui/icons/app-icons.ts'
import { useMemo, useState } from 'react'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useList } from '#state/use-list.ts'
import { useListUrl } from '#state/use-list-url.ts'
import { Button } from '#ui/display/Button.tsx'
import { DataList } from '#ui/list/DataList.tsx'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import { Page } from '#ui/page/Page.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { AppStyles } from '#features/apps/AppStyles.tsx'
import { ChangeLogDialog } from '#features/apps/history/ChangeLogDialog.tsx'
import { buildVersionColumns } from '#features/apps/history/columns.tsx'
import {
  changeView,
  defaultListView,
  readView,
  toRememberedQuery,
  type AppHistoryView,
  writeView,
} from '#features/apps/history/app-history-view.ts'
import { NoVersions } from '#features/apps/history/NoVersions.tsx'
import { historyList, type VersionRow } from '#features/apps/history/app-history-slice.ts'

const viewFunctions = { read: readView, write: writeView, change: changeView, toSavedQuery: toRememberedQuery }

/** Every version that was ever published (contracts 2, 3; M135), from the device; the server is asked beside it. */
export function AppHistoryPage() {
  const { t } = useTranslation('apps')
  const { view, changeView: change } = useListUrl(viewFunctions, historyList)
  const isNarrow = useNarrow()
  const { rows, count, freshness, isFetching, problem, refetch } = useList(historyList, {
    scope: null,
    view,
    isGrowing: isNarrow,
  })
  const [shownVersion, setShownVersion] = useState<VersionRow | null>(null)
  const visibleColumns = useMemo(() => buildVersionColumns(t, setShownVersion), [t])
  const sorting = {
    columns: visibleColumns,
    sort: view.sort,
    onSort: (sort: AppHistoryView['sort']) => change({ sort }),
  }
  return (
    <Page
      title={t('history.title')}
      intro={t('history.lead')}
      action={
        <Button icon="refresh" onClick={refetch}>
          {t('history.refresh')}
        </Button>
      }
    >
      <AppStyles />
      <FilterBar
        search={{
          value: view.searchText,
          onChange: (searchText) => change({ searchText }),
          label: t('history.search'),
        }}
        sorting={sorting}
        onClearAll={() => change({ searchText: defaultListView.searchText })}
      />
      {/* Offline the rows that are here, or the word that there are none, say all there is to say. */}
      <LoadProblem problem={problem} onRetry={refetch} />
      <DataList
        caption={t('history.caption')}
        formatCount={(count) => t('history.counted', { count, number: formatNumber(count) })}
        columns={visibleColumns}
        rows={rows}
        getRowKey={({ row }) => String(row.id)}
        getRowName={toVersionName}
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
        emptyContent={<NoVersions view={view} wasRead={freshness.asOf !== null} onChange={change} />}
      />
      {shownVersion?.markdown && (
        <ChangeLogDialog
          name={shownVersion.name}
          version={shownVersion.version}
          source={{ id: shownVersion.markdown }}
          onClose={() => setShownVersion(null)}
        />
      )}
    </Page>
  )
}

const toVersionName = ({ row }: OverlaidRow<VersionRow>) => `${row.name} ${row.version}`
