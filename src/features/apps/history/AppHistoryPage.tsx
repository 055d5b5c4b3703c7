import '#ui/icons/app-icons.ts'
import { useMemo, useState } from 'react'
import { ListPage } from '#patterns/list-page/ListPage.tsx'
import { useListPage } from '#patterns/list-page/useListPage.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import { AppStyles } from '#features/apps/AppStyles.tsx'
import { historyList, type VersionRow } from '#features/apps/history/app-history-slice.ts'
import { appHistoryView } from '#features/apps/history/app-history-view.ts'
import { ChangeLogDialog } from '#features/apps/history/ChangeLogDialog.tsx'
import { buildVersionColumns } from '#features/apps/history/columns.tsx'

/** Lists all published versions (contracts 2, 3; M135). */
export function AppHistoryPage() {
  const { t } = useTranslation('apps')
  const list = useListPage(historyList, appHistoryView, { scope: null })
  const [openVersion, setOpenVersion] = useState<VersionRow | null>(null)
  const columns = useMemo(() => buildVersionColumns(t, setOpenVersion), [t])
  return (
    <ListPage
      list={list}
      title={t('history.title')}
      intro={t('history.lead')}
      tools={[{ key: 'refresh', label: t('history.refresh'), icon: 'refresh', onSelect: list.refetch }]}
      beforeFilters={<AppStyles />}
      caption={t('history.caption')}
      formatCount={(numbers) => t('history.counted', numbers)}
      exportAs={{ name: t('history.title') }}
      searchLabel={t('history.search')}
      columns={columns}
      getRowName={({ row }) => `${row.name} ${row.version}`}
      empty={{
        notHere: { title: t('history.empty.notHere'), text: t('history.empty.notHereText') },
        noneFound: {
          title: t('history.empty.noneFound'),
          text: t('history.empty.noneFoundText'),
          showAll: t('history.empty.showAll'),
        },
        none: (
          <EmptyState
            icon="history"
            title={t('history.empty.title')}
            action={
              <ButtonLink to="/app/m18/upload" icon="upload">
                {t('history.empty.upload')}
              </ButtonLink>
            }
          >
            {t('history.empty.text')}
          </EmptyState>
        ),
      }}
    >
      {openVersion?.markdown && (
        <ChangeLogDialog
          name={openVersion.name}
          version={openVersion.version}
          source={{ id: openVersion.markdown }}
          onClose={() => setOpenVersion(null)}
        />
      )}
    </ListPage>
  )
}
