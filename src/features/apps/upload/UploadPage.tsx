import '#ui/icons/app-icons.ts'
import { useMemo, useState } from 'react'
import { useConnection } from '#state/use-store.ts'
import { useList } from '#state/use-list.ts'
import { Freshness } from '#ui/list/Freshness.tsx'
import { MacBanner } from '#ui/page/MacBanner.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { AppStyles } from '#features/apps/AppStyles.tsx'
import { ChangeLogDialog } from '#features/apps/history/ChangeLogDialog.tsx'
import { selectPackages, type UserChoices } from '#features/apps/upload/select-packages.ts'
import { DropZone } from '#features/apps/upload/DropZone.tsx'
import { LeaveDialog } from '#features/apps/upload/LeaveDialog.tsx'
import { PackageTable } from '#features/apps/upload/PackageTable.tsx'
import { PickBox } from '#features/apps/upload/PickBox.tsx'
import { PublishBar } from '#features/apps/upload/PublishBar.tsx'
import { allApps, appsQuery } from '#features/apps/upload/upload-slice.ts'
import { TransferList } from '#features/apps/upload/TransferList.tsx'
import {
  type UploadEntry,
  isUnderWay,
  type KnownVersions,
  getPackageState,
} from '#features/apps/upload/upload-entry.ts'
import { useUploadQueue } from '#features/apps/upload/useUploadQueue.ts'

const noApps: KnownVersions = new Map()

/** Page where packages are checked, uploaded, selected and published (contracts 2, 4, 5; M155 to M160). */
export function UploadPage() {
  const { t } = useTranslation('apps')
  const isOnline = useConnection().networkState === 'online'
  const { apps, freshness, refetch } = useKnownApps()
  const { queue, entries, isFull } = useUploadQueue(apps)
  const [choices, setChoices] = useState<UserChoices>({})
  const [shownEntry, setShownEntry] = useState<UploadEntry | null>(null)
  const knownApps = apps ?? noApps
  const selection = selectPackages(entries, choices, knownApps)
  const isConflict = (entry: UploadEntry) => getPackageState(entry, knownApps)?.status === 3
  const checkedEntries = entries.filter(({ row }) => row !== null)
  const tableProps = {
    apps: knownApps,
    onChangeLog: setShownEntry,
    onRemove: ({ key }: UploadEntry) => void queue.remove(key),
  }
  return (
    <Page title={t('upload.title')} intro={t('upload.lead')}>
      <AppStyles />
      <MacBanner />
      {!isOnline && (
        <div className="problem offline" role="status">
          <Icon name="offline" />
          <div>
            <p>{t('upload.offline')}</p>
          </div>
        </div>
      )}
      <DropZone onFiles={(files) => queue.add(files)} />
      <TransferList entries={entries} isFull={isFull} queue={queue} />
      <PackageTable
        {...tableProps}
        title={t('table.title')}
        intro={t('table.lead')}
        entries={checkedEntries.filter((entry) => !isConflict(entry))}
        renderPick={(entry) => (
          <PickBox
            entry={entry}
            selection={selection}
            onSelect={(isSelected) => setChoices((previous) => ({ ...previous, [entry.key]: isSelected }))}
          />
        )}
      >
        <p className="field-help">
          {t('table.compared')} <Freshness freshness={freshness} />
        </p>
        <PublishBar
          entries={entries}
          isFull={isFull}
          selectedEntries={selection.selectedEntries}
          apps={knownApps}
          queue={queue}
          onPublished={refetch}
        />
      </PackageTable>
      <PackageTable
        {...tableProps}
        title={t('conflict.title')}
        intro={t('conflict.lead')}
        entries={checkedEntries.filter(isConflict)}
      />
      {shownEntry?.row && (
        <ChangeLogDialog
          name={shownEntry.row.app_name}
          version={shownEntry.row.version}
          source={
            shownEntry.row.markdown === null ? { text: shownEntry.changeLog ?? '' } : { id: shownEntry.row.markdown }
          }
          onClose={() => setShownEntry(null)}
        />
      )}
      <LeaveDialog runningCount={entries.filter(isUnderWay).length} />
    </Page>
  )
}

/** Reads the latest app versions on this device, by code. `apps` is null until the device was read. */
function useKnownApps() {
  const { rows, freshness, refetch } = useList(allApps, { scope: null, view: appsQuery })
  const apps = useMemo(() => (rows ? new Map(rows.map(({ row }) => [row.code, row])) : null), [rows])
  return { apps, freshness, refetch }
}
