import '#ui/icons/app-icons.ts'
import { useMemo, useState } from 'react'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useList } from '#state/use-list.ts'
import { useListing } from '#state/use-list-url.ts'
import { Button } from '#ui/display/Button.tsx'
import { DataList } from '#ui/list/DataList.tsx'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import { Page } from '#ui/page/Page.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { Sheet } from '#features/apps/AppStyles.tsx'
import { ChangeLogDialog } from '#features/apps/history/ChangeLogDialog.tsx'
import { columns } from '#features/apps/history/columns.tsx'
import { changeView, plainView, readView, remembered, type View, writeView } from '#features/apps/history/list-url.ts'
import { NoVersions } from '#features/apps/history/NoVersions.tsx'
import { historyList, type VersionRow } from '#features/apps/history/slice.ts'

const ways = { read: readView, write: writeView, change: changeView, remembered }

/** Every version that was ever published (contracts 2, 3; M135), from the device; the server is asked beside it. */
export function AppHistory() {
  const { t } = useTranslation('apps')
  const { view, change } = useListing(ways, historyList)
  const grows = useNarrow()
  const { rows, count, freshness, isFetching, problem, refetch } = useList(historyList, { scope: null, view, grows })
  const [shown, setShown] = useState<VersionRow | null>(null)
  const drawnColumns = useMemo(() => columns(t, setShown), [t])
  const sorting = { columns: drawnColumns, sort: view.sort, onSort: (sort: View['sort']) => change({ sort }) }
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
      <Sheet />
      <FilterBar
        search={{
          value: view.searchText,
          onChange: (searchText) => change({ searchText }),
          label: t('history.search'),
        }}
        sorting={sorting}
        onClearAll={() => change({ searchText: plainView.searchText })}
      />
      {/* Offline the rows that are here, or the word that there are none, say all there is to say. */}
      <LoadProblem problem={problem} onRetry={refetch} />
      <DataList
        caption={t('history.caption')}
        counted={(count) => t('history.counted', { count, number: number(count) })}
        columns={drawnColumns}
        rows={rows}
        rowKey={({ row }) => String(row.id)}
        rowName={nameOf}
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
        empty={<NoVersions view={view} read={freshness.asOf !== null} onChange={change} />}
      />
      {shown?.markdown && (
        <ChangeLogDialog
          name={shown.name}
          version={shown.version}
          source={{ id: shown.markdown }}
          onClose={() => setShown(null)}
        />
      )}
    </Page>
  )
}

const nameOf = ({ row }: OverlaidRow<VersionRow>) => `${row.name} ${row.version}`
