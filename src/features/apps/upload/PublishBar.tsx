import { Link } from 'react-router-dom'
import { publishApps } from '#contract/staff/apps.ts'
import { useAction } from '#state/use-action.ts'
import { useConnection } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'
import { findMissingRequirements } from '#features/apps/upload/select-packages.ts'
import { formatPublishProblem } from '#features/apps/upload/format-fault.ts'
import { readPublishing } from '#features/apps/upload/upload-slice.ts'
import type { UploadEntry, KnownVersions } from '#features/apps/upload/upload-entry.ts'
import type { UploadQueue } from '#features/apps/upload/upload-queue.ts'
import { joinList } from '#ui/i18n/messages.ts'

interface PublishBarProps {
  entries: readonly UploadEntry[]
  /** Whether the server accepts no further uploads. Then only packages that are already on the server can be published. */
  isFull: boolean
  selectedEntries: readonly UploadEntry[]
  apps: KnownVersions
  queue: UploadQueue
  onPublished: () => void
}

/** Shows what the selected packages require, publishes them with progress, and shows the result (M159). */
export function PublishBar({
  entries,
  isFull,
  selectedEntries: allSelected,
  apps,
  queue,
  onPublished,
}: PublishBarProps) {
  const selectedEntries = isFull ? allSelected.filter(({ isFromServer: isServerEntry }) => isServerEntry) : allSelected
  const { t } = useTranslation('apps')
  const { run, isBusy: isPublishing, problem } = useAction(publishApps)
  const runningPublication = useLiveQuery(readPublishing, [])
  const isBusy = isPublishing || Boolean(runningPublication)
  const percent = runningPublication?.percent ?? 0
  async function handlePublish() {
    const modules = selectedEntries.flatMap(({ row }) => (row ? [row.md5] : []))
    // Waits until the job has ended, however long that takes. Its progress is read from the job's row.
    const result = await run({ body: { modules, progressKey: crypto.randomUUID() } })
    if (result.kind !== 'problem') {
      queue.handlePublished(result.kind === 'fresh' ? result.output : [])
      onPublished()
    }
    // The published versions may make other packages unnecessary, so the states are read again.
    await queue.refresh()
  }
  const disabledReason = useDisabledReason(selectedEntries)
  return (
    <div className="publish">
      <MissingRequirements selectedEntries={selectedEntries} apps={apps} />
      {problem && (
        <p role="alert" className="upload-why">
          {formatPublishProblem(problem)}
        </p>
      )}
      {isBusy && (
        <div className="publish-progress">
          <ProgressBar label={t('publish.progress')} percent={percent} text={t('transfer.percent', { percent })} />
          <span>{t('publish.goesOn', { percent })}</span>
        </div>
      )}
      <PublishedNote entries={entries} />
      <div>
        <Button
          kind="primary"
          icon="check"
          isBusy={isBusy}
          disabledReason={isBusy ? null : disabledReason}
          onClick={() => void handlePublish()}
        >
          {selectedEntries.length === 0 ? t('publish.actNone') : t('publish.act', { count: selectedEntries.length })}
        </Button>
      </div>
    </div>
  )
}

function useDisabledReason(selectedEntries: readonly UploadEntry[]): string | null {
  const { t } = useTranslation('apps')
  const isOnline = useConnection().networkState === 'online'
  if (selectedEntries.length === 0) return t('publish.none')
  if (!isOnline) return t('publish.offline')
  return selectedEntries.every(({ isFromServer: isServerEntry }) => isServerEntry) ? null : t('publish.unsent')
}

/** Missing apps are shown but do not prevent publishing, because the next files may contain them. */
function MissingRequirements({ selectedEntries, apps }: Pick<PublishBarProps, 'selectedEntries' | 'apps'>) {
  const { t } = useTranslation('apps')
  const {
    missing: missingAppCodes,
    incompatible: incompatibleApps,
    loops,
  } = findMissingRequirements(selectedEntries, apps)
  // Leaves out apps that are selected or already published.
  const missingCodes = missingAppCodes.filter(
    (code) => !apps.has(code) && !selectedEntries.some(({ row }) => row?.code === code),
  )
  if (missingCodes.length + incompatibleApps.length + loops.length === 0) return null
  return (
    <div className="problem note publish-lacking" role="status">
      <Icon name="alert" />
      <div>
        <p>
          <strong>{t('lacking.title')}</strong>
        </p>
        <ul>
          {missingCodes.length > 0 && <li>{t('lacking.missing', { codes: joinList(missingCodes) })}</li>}
          {incompatibleApps.map(({ code, requires }) => (
            <li key={code}>
              {t('lacking.old', {
                code,
                needs: joinList(requires.map((requirement) => `${requirement.code} ${requirement.version}`)),
              })}
            </li>
          ))}
          {loops.map((loop) => (
            <li key={loop.join()}>{t('lacking.loop', { codes: loop.join(' → ') })}</li>
          ))}
        </ul>
      </div>
    </div>
  )
}

function PublishedNote({ entries }: { entries: readonly UploadEntry[] }) {
  const { t } = useTranslation('apps')
  const publishedEntries = entries.filter(({ isPublished }) => isPublished)
  return (
    <p role="status" className="publish-done">
      {publishedEntries.length > 0 && (
        <>
          <Icon name="check" />
          <span>
            {t('publish.done', { count: publishedEntries.length })}{' '}
            <Link to="/app/apphistory">{t('publish.history')}</Link>
          </span>
        </>
      )}
    </p>
  )
}
