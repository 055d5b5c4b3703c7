import { lazy, Suspense } from 'react'
import { readStoredTrailState } from '#local/audit-trail/stored-trail-state.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useNoFileReason } from '#patterns/useOfflineReason.ts'
import { useConnection, useIsActing } from '#state/use-store.ts'
import { useCompact } from '#ui/page/useCompact.ts'
import { Menu, type MenuItem } from '#ui/overlay/Menu.tsx'
import { useTranslation } from 'react-i18next'
import type { TrailView } from '#features/audit-trail/list/trail-view.ts'
import { type ExportFormat, useExport } from '#features/audit-trail/list/useExport.ts'
import type { StoreTrailOpener } from '#features/audit-trail/offline/StoreTrailButton.tsx'

const StoreTrailButton = lazy(async () => ({
  default: (await import(/* chunk: trail-device */ '#features/audit-trail/offline/StoreTrailButton.tsx'))
    .StoreTrailButton,
}))

interface TrailActionsProps {
  view: TrailView
  companyId: number
  isChartOpen: boolean
  onChart: () => void
}

/** Saving on the device, except for a customer (decision 111), and exports. On a phone they are in one menu next to the title, together with the chart. */
export function TrailActions({ view, companyId, isChartOpen, onChart }: TrailActionsProps) {
  const { t } = useTranslation('audit')
  const isCompact = useCompact()
  const isActing = useIsActing()
  const exportItems = useExportItems(view, companyId)
  if (isCompact) {
    const chartItem = { key: 'chart', label: t(`activity.${isChartOpen ? 'hide' : 'show'}`), icon: 'activity' as const }
    const renderMenu = (storeItems: MenuItem[]) => (
      <Menu
        label={t('more')}
        kind="quiet"
        items={[{ ...chartItem, onSelect: onChart }, ...storeItems, ...exportItems]}
      />
    )
    return (
      <span className="page-tools">
        {isActing ? (
          renderMenu([])
        ) : (
          <Suspense fallback={renderMenu([])}>
            <StoreTrailButton companyId={companyId} renderOpener={(opener) => renderMenu([toMenuItem(opener)])} />
          </Suspense>
        )}
      </span>
    )
  }
  return (
    <>
      {!isActing && (
        <Suspense fallback={<span className="trail-store-space" />}>
          <StoreTrailButton companyId={companyId} />
        </Suspense>
      )}
      <Menu label={t('export.open')} icon="install" isIconOnly={false} kind="quiet" items={exportItems} />
    </>
  )
}

const toMenuItem = ({ label, icon, onOpen }: StoreTrailOpener): MenuItem => ({
  key: 'store',
  label,
  icon,
  onSelect: onOpen,
})

const exportFormats = ['csv', 'xlsx'] as const satisfies readonly ExportFormat[]

function useExportItems(view: TrailView, companyId: number): MenuItem[] {
  const { t } = useTranslation('audit')
  const isCompact = useCompact()
  const isOnline = useConnection().networkState === 'online'
  const exportFile = useExport(view)
  const noFileReason = useNoFileReason()
  const storedTrail = useLiveQuery(() => readStoredTrailState(companyId), [companyId])?.storedTrail
  // Offline, the export is written by the device from its stored days, and only as CSV.
  const getExportReason = (format: ExportFormat) =>
    isOnline || (format === 'csv' && storedTrail) ? null : t('export.offline')
  return exportFormats.map((format) => ({
    key: format,
    label: isCompact ? t('export.as', { format: t(`export.${format}`) }) : t(`export.${format}`),
    ...(isCompact ? { icon: 'install' as const } : {}),
    disabledReason: noFileReason ?? (exportFile.isBusy ? t('export.begun') : getExportReason(format)),
    onSelect: () => exportFile.save(format),
  }))
}
