import type { TFunction } from 'i18next'
import type { StoredBackupRow } from '#contract/backups.ts'
import { Button } from '#ui/display/Button.tsx'
import { Tag, type TagTone } from '#ui/display/Tag.tsx'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'
import type { FiveRowsColumn } from '#features/backups/FiveRows.tsx'
import { formatSize } from '#features/backups/stored/format-size.ts'

interface StoredBackupActions {
  getRestoreReason: (row: StoredBackupRow) => string | null
  onRestore: (row: StoredBackupRow) => void
}

const tones: Record<StoredBackupRow['state'], TagTone> = {
  running: 'accent',
  done: 'positive',
  failed: 'danger',
  removed: 'neutral',
}

export const buildStoredBackupColumns = (
  t: TFunction<'backups'>,
  { getRestoreReason, onRestore }: StoredBackupActions,
): FiveRowsColumn<StoredBackupRow>[] => [
  {
    key: 'time',
    exportText: ({ start_time, pdb_type }) => `${start_time} ${t(`type.${pdb_type}`)}`,
    render: ({ start_time, pdb_type }) => (
      <>
        <BusinessTime time={start_time} />
        <span className="backup-beside">{t(`type.${pdb_type}`)}</span>
      </>
    ),
  },
  {
    key: 'size',
    exportText: ({ bytes }) => (bytes === null ? '' : formatSize(bytes)),
    align: 'end',
    render: ({ bytes }) => (bytes === null ? t('none') : formatSize(bytes)),
  },
  {
    key: 'duration',
    exportText: ({ duration }) => (duration === null ? '' : formatDuration(duration, t)),
    align: 'end',
    render: ({ duration }) => (duration === null ? t('none') : formatDuration(duration, t)),
  },
  { key: 'result', exportText: (row) => formatResult(row, t).join(' · '), render: (row) => <Result row={row} t={t} /> },
  { key: 'who', exportText: (row) => formatUser(row, t), render: (row) => <bdi>{formatUser(row, t)}</bdi> },
  {
    key: 'acts',
    align: 'end',
    render: (row) => (
      <Button disabledReason={getRestoreReason(row)} onClick={() => onRestore(row)}>
        <span aria-hidden="true">{t('restore.act')}</span>
        <span className="sr-only">{t('restore.of', { time: row.start_time })}</span>
      </Button>
    ),
  },
]

/** Returns the state, and the reason of a failure. */
function formatResult({ state, fault }: StoredBackupRow, t: TFunction<'backups'>): string[] {
  const stateText = t(`stored.state.${state}`)
  if (fault !== null) return [stateText, t(`fault.${fault}`)]
  return state === 'removed' ? [stateText, t('stored.removed')] : [stateText]
}

function Result({ row, t }: { row: StoredBackupRow; t: TFunction<'backups'> }) {
  const [stateText, note] = formatResult(row, t)
  return (
    <>
      <Tag tone={tones[row.state]}>{stateText}</Tag>
      {note && <span className="backup-beside">{note}</span>}
    </>
  )
}

/** A customer does not see the names of the provider's staff. */
const formatUser = ({ user_name: userName, cause }: StoredBackupRow, t: TFunction<'backups'>): string =>
  userName ?? t(cause === 'schedule' ? 'stored.schedule' : 'stored.staff')

/** Formats `ms` in minutes and seconds, rounded up, so that the result is never zero. */
export function formatDuration(ms: number, t: TFunction<'backups'>): string {
  const totalSeconds = Math.max(1, Math.ceil(ms / 1000))
  const [minutes, seconds] = [Math.floor(totalSeconds / 60), totalSeconds % 60]
  return minutes === 0 ? t('stored.seconds', { seconds }) : t('stored.minutes', { minutes, seconds })
}
