import { lazy, Suspense, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { PriceRow } from '#contract/prices.ts'
import { clientTypeOf } from '#domain/access.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useClientType } from '#state/client-type.ts'
import { useConnection, useSignedIn } from '#state/hooks.ts'
import { useList } from '#state/use-list.ts'
import { historyPath } from '#ui/links/history-path.ts'
import { useListing } from '#state/use-list-url.ts'
import { useNewRows } from '#state/use-new-rows.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import type { RowAction } from '#ui/list/column.ts'
import { DataList } from '#ui/list/DataList.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { rowMark } from '#ui/list/PendingMark.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import { Page } from '#ui/page/Page.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { columns } from '#features/prices/list/columns.tsx'
import { NoPriceLists } from '#features/prices/list/EmptyList.tsx'
import { whyNotReinstate } from '#features/prices/in-force.ts'
import { ways } from '#features/prices/list-url.ts'
import { Tabs } from '#features/prices/list/Tabs.tsx'
import { useExport } from '#features/prices/list/useExport.ts'
import { usePriceListUses } from '#features/prices/withdrawn/usePriceListUses.ts'
import { useKeptWhole, usePriceLists } from '#features/prices/usePriceLists.ts'
import { Sheet } from '#features/prices/PriceStyles.tsx'
import { newPath, pathOf } from '#features/prices/paths.ts'
import { priceLists } from '#features/prices/slice.ts'

const RemoveDialog = lazy(async () => ({
  default: (await import('#features/prices/list/RemoveDialog.tsx')).RemoveDialog,
}))
const ReinstateDialog = lazy(async () => ({
  default: (await import('#features/prices/withdrawn/ReinstateDialog.tsx')).ReinstateDialog,
}))
const ImportDialog = lazy(async () => ({
  default: (await import('#features/prices/import/ImportDialog.tsx')).ImportDialog,
}))

type Shown = OverlaidRow<PriceRow>

/** What is charged from which day on: the lists of one client type, which of them counts today, and those withdrawn (contracts 2, M145). */
export function PriceLists() {
  const { t } = useTranslation('prices')
  const { t: words } = useTranslation('ui')
  const navigate = useNavigate()
  const { lapsed, line } = useConnection()
  const { caller } = useSignedIn()
  const type = useClientType(clientTypeOf)
  const { view, change } = useListing(ways, priceLists)
  const { newRows, clear } = useNewRows(priceLists, type)
  const grows = useNarrow()
  const shown = useList(priceLists, { scope: null, view: { ...view, type }, newRows, grows })
  const { rows, count, freshness, isFetching, problem, refetch } = shown
  const { lists, today, standingOf } = usePriceLists(type)
  const uses = usePriceListUses(type)
  useKeptWhole(lists)
  const download = useExport()
  const [removing, setRemoving] = useState<Shown | null>(null)
  const [reinstating, setReinstating] = useState<Shown | null>(null)
  const [importing, setImporting] = useState(false)
  const needsLine = line === 'online' ? null : t('needsConnection')

  /** A confirmed one is withdrawn, and not while orders are priced by it (D81). */
  const whyNotRemoved = ({ row }: Shown) => {
    if (lapsed) return words('form.lapsed')
    if (!row.confirmed) return null
    return standingOf(row) === 'inForce' ? t('withdraw.inForce') : needsLine
  }
  const whyNotReinstated = ({ row }: Shown) =>
    lapsed ? words('form.lapsed') : (needsLine ?? whyNotReinstate(t, row, lists ?? [], today))
  const whyNotExported = ({ row }: Shown) => (typeof row.id === 'number' ? needsLine : t('export.notYet'))
  const past = (row: PriceRow): RowAction<Shown>[] => {
    const history = historyPath({ code: 'price', name: row.effective_date, who: 'deleteLevel' }, caller)
    if (history === null) return []
    return [{ key: 'history', label: t('act.history'), icon: 'history', onSelect: () => void navigate(history) }]
  }
  const actions = ({ row }: Shown): RowAction<Shown>[] => [
    {
      key: 'edit',
      label: t(row.confirmed ? 'act.open' : 'act.edit'),
      icon: row.confirmed ? 'seen' : 'edit',
      onSelect: () => void navigate(pathOf(row.id)),
    },
    { key: 'saveAs', label: t('act.saveAs'), icon: 'copy', onSelect: () => void navigate(newPath(row.id)) },
    { key: 'export', label: t('act.export'), icon: 'install', whyNot: whyNotExported, onSelect: download },
    ...past(row),
    row.withdrawn
      ? {
          key: 'reinstate',
          label: t('act.reinstate'),
          icon: 'check',
          whyNot: whyNotReinstated,
          onSelect: setReinstating,
        }
      : {
          key: 'remove',
          label: t(row.confirmed ? 'act.withdraw' : 'act.remove'),
          icon: 'remove',
          danger: true,
          whyNot: whyNotRemoved,
          onSelect: setRemoving,
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
            bare
            busy={isFetching}
            onClick={() => {
              clear()
              refetch()
            }}
          >
            {t('act.refresh')}
          </Button>
          <Button icon="upload" whyNot={needsLine} onClick={() => setImporting(true)}>
            {t('act.import')}
          </Button>
          <ButtonLink kind="primary" icon="plus" to={newPath()}>
            {t('act.create')}
          </ButtonLink>
        </>
      }
    >
      <Sheet />
      <LoadProblem problem={problem} onRetry={refetch} />
      <Tabs view={view} withdrawn={lists ? lists.filter((row) => row.withdrawn).length : null} />
      <DataList
        caption={view.tab === 'withdrawn' ? t('tab.withdrawn') : t('title')}
        counted={(all) => t('counted', { count: all, number: number(all) })}
        columns={columns(t, standingOf, uses, grows, view.tab)}
        rows={rows}
        rowKey={({ row }) => String(row.id)}
        rowName={({ row }) => t('named', { day: row.effective_date, desc: row.desc })}
        rowTo={({ row }) => pathOf(row.id)}
        mark={rowMark}
        actions={actions}
        sort={view.sort}
        onSort={(sort) => change({ sort })}
        grows={grows}
        page={view.page}
        results={view.results}
        count={count}
        onPage={(page, isCorrection) => change({ page }, isCorrection)}
        onResults={(results) => change({ results })}
        fresh={freshness}
        isFetching={isFetching}
        problem={problem}
        empty={
          <NoPriceLists
            read={freshness.asOf !== null}
            tab={view.tab}
            page={view.page}
            onFirst={() => change({ page: 1 })}
          />
        }
      />
      <Suspense fallback={null}>
        {removing && (
          <RemoveDialog
            opened={removing}
            onClose={() => setRemoving(null)}
            onDone={() => {
              setRemoving(null)
              refetch()
            }}
          />
        )}
        {reinstating && (
          <ReinstateDialog
            opened={reinstating}
            today={today}
            onClose={() => setReinstating(null)}
            onDone={() => {
              setReinstating(null)
              refetch()
            }}
          />
        )}
        {importing && <ImportDialog type={type} onClose={() => setImporting(false)} />}
      </Suspense>
    </Page>
  )
}
