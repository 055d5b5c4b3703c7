import { useId, useState } from 'react'
import { backupTypes, type StoredBackupRow } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { getBackupTag, getBackupRefusal } from '#domain/backups.ts'
import type { PlainDate } from '#domain/time.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { FiveRows } from '#features/backups/FiveRows.tsx'
import { RestoreDialog } from '#features/backups/restore/RestoreDialog.tsx'
import { findRestoreRefusal } from '#features/backups/restore/restore-choices.ts'
import { BackUpDialog } from '#features/backups/stored/BackUpDialog.tsx'
import { buildStoredBackupColumns } from '#features/backups/stored/columns.tsx'
import { BackupProgress } from '#features/backups/stored/BackupProgress.tsx'
import { PlanFacts } from '#features/backups/stored/PlanFacts.tsx'
import { SuspendTraffic } from '#features/backups/traffic/SuspendTraffic.tsx'
import type { StoredBackupList } from '#features/backups/backup-hooks.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'

interface StoredBackupsProps {
  service: ServiceRow
  storedBackups: StoredBackupList
  today: PlainDate
  services: readonly ServiceRow[] | undefined
  onDone: () => void
}

export function StoredBackups({ service, storedBackups, today, services, onDone }: StoredBackupsProps) {
  const { t } = useTranslation('backups')
  const titleId = useId()
  const offlineReason = useUnsendableReason(t('needsLine'))
  const [isBackingUp, setBackingUp] = useState(false)
  const [restoredBackup, setRestoredBackup] = useState<StoredBackupRow | null>(null)
  const { rows, plan } = storedBackups
  const runningTypes = rows?.filter(({ state }) => state === 'running').map(({ pdb_type }) => pdb_type) ?? []
  const isNoneAllowed = backupTypes.every((type) => getBackupRefusal(type, service, today) !== null)
  const wasNeverSubscribed = backupTypes.every((type) => getBackupTag(type, service, today) === 'none')
  const noneReason = wasNeverSubscribed ? t('stored.emptyNone') : t('backUp.nothing')
  const getRestoreReason = (row: StoredBackupRow) => {
    const refusal = findRestoreRefusal(row, service)
    return refusal ? t(`restore.whyNot.${refusal}`) : offlineReason
  }
  return (
    <section className="card backup-part" aria-labelledby={titleId}>
      <div className="backup-head">
        <h2 id={titleId}>{t('stored.title')}</h2>
        <div className="backup-acts">
          <SuspendTraffic service={service} plan={plan} onDone={onDone} />
          <Button
            icon="upload"
            disabledReason={isNoneAllowed ? noneReason : offlineReason}
            aria-haspopup="dialog"
            onClick={() => setBackingUp(true)}
          >
            {t('backUp.act')}
          </Button>
        </div>
      </div>
      <BackupProgress service={service} />
      {plan && <PlanFacts plan={plan} />}
      <FiveRows
        name="stored"
        service={service}
        columns={buildStoredBackupColumns(t, { getRestoreReason, onRestore: setRestoredBackup })}
        list={storedBackups}
        emptyIcon="install"
        emptyText={t(wasNeverSubscribed ? 'stored.emptyNone' : 'rows.stored.emptyText')}
      />
      {isBackingUp && (
        <BackUpDialog {...{ service, today, runningTypes }} onClose={() => setBackingUp(false)} onEnded={onDone} />
      )}
      {restoredBackup && (
        <RestoreDialog
          backup={restoredBackup}
          sourceService={service}
          services={services ?? [service]}
          onClose={() => setRestoredBackup(null)}
          onEnded={onDone}
        />
      )}
    </section>
  )
}
