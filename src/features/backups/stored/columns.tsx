import type { TFunction } from 'i18next'
import type { StoredBackupRow } from '#contract/backups.ts'
import { Button } from '#ui/display/Button.tsx'
import { Tag, type Tone } from '#ui/display/Tag.tsx'
import type { Column } from '#features/backups/FiveRows.tsx'
import { sizeOf } from '#features/backups/stored/size.ts'

interface Ways {
  /** Why one cannot be restored, in words; null: it can. */
  whyNot: (row: StoredBackupRow) => string | null
  onRestore: (row: StoredBackupRow) => void
}

const tones: Record<StoredBackupRow['state'], Tone> = {
  running: 'accent',
  done: 'positive',
  failed: 'danger',
  removed: 'neutral',
}

export const columns = (t: TFunction<'backups'>, { whyNot, onRestore }: Ways): Column<StoredBackupRow>[] => [
  {
    key: 'time',
    header: t('stored.column.time'),
    render: ({ start_time, pdb_type }) => (
      <>
        {start_time}
        <span className="backup-beside">{t(`type.${pdb_type}`)}</span>
      </>
    ),
  },
  {
    key: 'size',
    header: t('stored.column.size'),
    align: 'end',
    render: ({ bytes }) => (bytes === null ? t('none') : sizeOf(bytes)),
  },
  {
    key: 'duration',
    header: t('stored.column.duration'),
    align: 'end',
    render: ({ duration }) => (duration === null ? t('none') : durationWords(duration, t)),
  },
  { key: 'result', header: t('stored.column.result'), render: (row) => <Result row={row} t={t} /> },
  { key: 'who', header: t('stored.column.who'), render: (row) => <bdi>{whoOf(row, t)}</bdi> },
  {
    key: 'acts',
    header: t('stored.column.acts'),
    align: 'end',
    render: (row) => (
      <Button whyNot={whyNot(row)} onClick={() => onRestore(row)}>
        <span aria-hidden="true">{t('restore.act')}</span>
        <span className="sr-only">{t('restore.of', { time: row.start_time })}</span>
      </Button>
    ),
  },
]

function Result({ row: { state, fault }, t }: { row: StoredBackupRow; t: TFunction<'backups'> }) {
  const note = fault === null ? state === 'removed' && t('stored.removed') : t(`fault.${fault}`)
  return (
    <>
      <Tag tone={tones[state]}>{t(`stored.state.${state}`)}</Tag>
      {note && <span className="backup-beside">{note}</span>}
    </>
  )
}

/** The provider's staff have no name for a customer. */
const whoOf = ({ user_name: user, cause }: StoredBackupRow, t: TFunction<'backups'>): string =>
  user ?? t(cause === 'schedule' ? 'stored.schedule' : 'stored.staff')

/** `ms` in minutes and seconds, rounded up: nothing takes no time. */
export function durationWords(ms: number, t: TFunction<'backups'>): string {
  const all = Math.max(1, Math.ceil(ms / 1000))
  const [minutes, seconds] = [Math.floor(all / 60), all % 60]
  return minutes === 0 ? t('stored.seconds', { seconds }) : t('stored.minutes', { minutes, seconds })
}
