import '#ui/icons/order-icons.ts'
import { lazy, Suspense, useMemo } from 'react'
import { maxCountedEntries } from '#domain/audit-log/leaf.ts'
import type { CompanyFrame } from '#patterns/list-page/company-frame.ts'
import { ListPage } from '#patterns/list-page/ListPage.tsx'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useCompact } from '#ui/page/useCompact.ts'
import { useTranslation } from 'react-i18next'
import { EntryDrawer } from '#features/audit-trail/entry/EntryDrawer.tsx'
import { removeIsolates } from '#features/audit-trail/sentence/isolated-text.ts'
import { useEntryFormatter } from '#features/audit-trail/use-entry-formatter.ts'
import { ActivityPanel, useChartSwitch } from '#features/audit-trail/list/ActivityPanel.tsx'
import { buildTrailColumns } from '#features/audit-trail/list/columns.tsx'
import { NoEntries } from '#features/audit-trail/list/NoEntries.tsx'
import { trailView } from '#features/audit-trail/list/trail-view.ts'
import { TrailActions } from '#features/audit-trail/list/TrailActions.tsx'
import { TrailPages } from '#features/audit-trail/list/TrailPages.tsx'
import { type TrailCompanyFilter, useTrailFilters } from '#features/audit-trail/list/useTrailFilters.tsx'
import { useTrailList } from '#features/audit-trail/list/useTrailList.ts'
import type { StoredDays } from '#request/call-results.ts'
import { TrailStyles } from '#features/audit-trail/TrailStyles.tsx'

const LogWatch = lazy(async () => ({
  default: (await import(/* chunk: trail-device */ '#features/audit-trail/offline/LogWatch.tsx')).LogWatch,
}))

interface TrailPageProps {
  CompanyFilter?: TrailCompanyFilter
  /** Shows the trail of one company, as a tab of its page. */
  frame?: CompanyFrame
}

/** Shows who did what, and when (contracts 2, M131 to M134). The provider's staff can select a customer's trail. */
export function TrailPage({ CompanyFilter, frame }: TrailPageProps) {
  const { t } = useTranslation('audit')
  const { user } = useSignedInSession()
  const isOnline = useConnection().networkState === 'online'
  const entryFormatter = useEntryFormatter()
  const columns = useMemo(() => buildTrailColumns(t, entryFormatter), [t, entryFormatter])
  const list = useTrailList(frame?.companyId ?? null)
  const filterProps = useTrailFilters(list, CompanyFilter)
  const { view, changeView, days, entryCount } = list
  const isCompact = useCompact()
  const [isChartOpen, setIsChartOpen] = useChartSwitch()
  const companyId = view.company ?? user.company_id
  return (
    <ListPage
      {...filterProps}
      // The company of a tab is no filter that the user has set.
      list={frame ? { ...list, view: { ...view, company: null } } : list}
      {...(frame ? { title: frame.title, crumbs: frame.crumbs } : { title: t('title'), intro: t('lead') })}
      action={<TrailActions {...{ view, companyId, isChartOpen }} onChart={() => setIsChartOpen(!isChartOpen)} />}
      refreshLabel={t('refresh')}
      beforeFilters={
        <>
          <TrailStyles />
          {frame?.tabs}
          {list.freshness.asOf !== null && (
            <Suspense fallback={null}>
              <LogWatch companyId={companyId} isOnline={isOnline} />
            </Suspense>
          )}
        </>
      }
      beforeList={
        <>
          {(isChartOpen || !isCompact) && (
            <ActivityPanel isOpen={isChartOpen} onToggle={setIsChartOpen} view={view} onRange={changeView} />
          )}
          {days && <StoredDaysNote days={days} />}
        </>
      }
      listClass="trail-list"
      caption={t('caption')}
      formatCount={() =>
        list.hasMore
          ? t('countedMore', { number: formatNumber(maxCountedEntries) })
          : t('counted', { count: entryCount, number: formatNumber(entryCount) })
      }
      columns={columns}
      getRowKey={({ id }) => String(id)}
      getRowName={(row) => `${row.end_time} ${removeIsolates(entryFormatter.formatSentence(row))}`}
      getRowPath={({ id }) => `?${trailView.write(trailView.change(view, { open: id }))}`}
      pager={list.isBeyondNumbers ? <TrailPages list={list} /> : undefined}
      empty={{
        notHere: { title: t('empty.notHere'), text: t('empty.notHereText') },
        noneFound: {
          title: t('empty.noneFound'),
          text: t(view.searchText === '' ? 'empty.noneFoundText' : 'empty.noneFoundSearch'),
          showAll: t('empty.dropAll'),
        },
        none: <NoEntries list={list} />,
      }}
    >
      {view.open !== null && (
        <EntryDrawer
          id={view.open}
          companyId={view.company}
          rows={list.rows}
          onOpen={(open) => changeView({ open })}
          onClose={() => changeView({ open: null })}
        />
      )}
    </ListPage>
  )
}

function StoredDaysNote({ days: { from, to } }: { days: StoredDays }) {
  const { t } = useTranslation('audit')
  return (
    <p className="trail-partly" role="status">
      <Icon name="offline" size={16} />
      {to === null ? t('partly.from', { from }) : t('partly.days', { from, to })}
    </p>
  )
}
