import '#ui/icons/app-icons.ts'
import { useMemo, useState } from 'react'
import { useConnection } from '#state/hooks.ts'
import { useList } from '#state/use-list.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Freshness } from '#ui/list/Freshness.tsx'
import { MacBanner } from '#ui/page/MacBanner.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { Sheet } from '#features/apps/AppStyles.tsx'
import { ChangeLogDialog } from '#features/apps/history/ChangeLogDialog.tsx'
import { choiceOf, type Said } from '#features/apps/upload/choice.ts'
import { DropZone } from '#features/apps/upload/DropZone.tsx'
import { LeaveDialog } from '#features/apps/upload/LeaveDialog.tsx'
import { PackageTable } from '#features/apps/upload/PackageTable.tsx'
import { PickBox } from '#features/apps/upload/PickBox.tsx'
import { PublishBar } from '#features/apps/upload/PublishBar.tsx'
import { appsList, appsView, readApps } from '#features/apps/upload/slice.ts'
import { TransferList } from '#features/apps/upload/TransferList.tsx'
import { type Entry, isUnderWay, type KnownApps, stateOf } from '#features/apps/upload/upload-entry.ts'
import { useUploadQueue } from '#features/apps/upload/useUploadQueue.ts'

const none: KnownApps = new Map()

/** Packages are looked into, sent, chosen and published (contracts 2, 4, 5; M155 to M160). */
export function Upload() {
  const { t } = useTranslation('apps')
  const isOnline = useConnection().line === 'online'
  const { apps, freshness, refetch } = useKnownApps()
  const { queue, entries, isFull } = useUploadQueue(apps)
  const [said, setSaid] = useState<Said>({})
  const [read, setRead] = useState<Entry | null>(null)
  const known = apps ?? none
  const choice = choiceOf(entries, said, known)
  const isConflict = (entry: Entry) => stateOf(entry, known)?.status === 3
  const looked = entries.filter(({ row }) => row !== null)
  const table = {
    apps: known,
    onChangeLog: setRead,
    onRemove: ({ key }: Entry) => void queue.remove(key),
  }
  return (
    <Page title={t('upload.title')} intro={t('upload.lead')}>
      <Sheet />
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
        {...table}
        title={t('table.title')}
        lead={t('table.lead')}
        entries={looked.filter((entry) => !isConflict(entry))}
        pick={(entry) => (
          <PickBox
            entry={entry}
            choice={choice}
            onChoose={(on) => setSaid((before) => ({ ...before, [entry.key]: on }))}
          />
        )}
      >
        <p className="field-help">
          {t('table.compared')} <Freshness fresh={freshness} />
        </p>
        <PublishBar
          entries={entries}
          isFull={isFull}
          chosen={choice.chosen}
          apps={known}
          queue={queue}
          onPublished={refetch}
        />
      </PackageTable>
      <PackageTable
        {...table}
        title={t('conflict.title')}
        lead={t('conflict.lead')}
        entries={looked.filter(isConflict)}
      />
      {read?.row && (
        <ChangeLogDialog
          name={read.row.app_name}
          version={read.row.version}
          source={read.row.markdown === null ? { text: read.changeLog ?? '' } : { id: read.row.markdown }}
          onClose={() => setRead(null)}
        />
      )}
      <LeaveDialog underWay={entries.filter(isUnderWay).length} />
    </Page>
  )
}

/** The newest versions on this device, by code; null until it was asked. */
function useKnownApps() {
  const { freshness, refetch } = useList(appsList, { scope: null, view: appsView })
  const all = useLiveQuery(readApps, [])
  const apps = useMemo(() => all && new Map(all.rows.map(({ row }) => [row.code, row])), [all])
  return { apps: apps ?? null, freshness, refetch }
}
