import { useId, useState } from 'react'
import { backupTypes, type StoredBackupRow } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { backupTag, whyNotBackedUp } from '#domain/backups.ts'
import type { PlainDate } from '#domain/time.ts'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { FiveRows } from '#features/backups/FiveRows.tsx'
import { RestoreDialog } from '#features/backups/restore/RestoreDialog.tsx'
import { whyNotRestorable } from '#features/backups/restore/choices.ts'
import { BackUpDialog } from '#features/backups/stored/BackUpDialog.tsx'
import { columns } from '#features/backups/stored/columns.tsx'
import { Doing } from '#features/backups/stored/Doing.tsx'
import { PlanFacts } from '#features/backups/stored/PlanFacts.tsx'
import { SuspendTraffic } from '#features/backups/traffic/SuspendTraffic.tsx'
import type { Stored } from '#features/backups/useBackups.ts'
import { useWhyOffline } from '#features/backups/useWhyOffline.ts'

interface Props {
  service: ServiceRow
  stored: Stored
  today: PlainDate
  /** All that are here: what a backup may be restored into is among them. */
  services: readonly ServiceRow[] | undefined
  /** Something has come to an end: what is shown may be old. */
  onDone: () => void
}

/** The backups of a service: when the next is made, how they are kept, and what can be restored; alike for customers and staff. */
export function StoredBackups({ service, stored, today, services, onDone }: Props) {
  const { t } = useTranslation('backups')
  const title = useId()
  const offline = useWhyOffline()
  const [isBackingUp, setBackingUp] = useState(false)
  const [restoring, setRestoring] = useState<StoredBackupRow | null>(null)
  const { rows, plan } = stored
  const running = rows?.filter(({ state }) => state === 'running').map(({ pdb_type }) => pdb_type) ?? []
  const isNowhere = backupTypes.every((type) => whyNotBackedUp(type, service, today) !== null)
  const isNever = backupTypes.every((type) => backupTag(type, service, today) === 'none')
  const whyNone = isNever ? t('stored.emptyNone') : t('backUp.nothing')
  const whyNot = (row: StoredBackupRow) => {
    const why = whyNotRestorable(row, service)
    return why ? t(`restore.whyNot.${why}`) : offline
  }
  return (
    <section className="card backup-part" aria-labelledby={title}>
      <div className="backup-head">
        <h2 id={title}>{t('stored.title')}</h2>
        <div className="backup-acts">
          <SuspendTraffic service={service} plan={plan} onDone={onDone} />
          <Button icon="upload" whyNot={isNowhere ? whyNone : offline} onClick={() => setBackingUp(true)}>
            {t('backUp.act')}
          </Button>
        </div>
      </div>
      <Doing service={service} />
      {plan && <PlanFacts plan={plan} />}
      <FiveRows
        caption={t('stored.caption', { code: service.code })}
        counted={(count) => t('stored.counted', { count, number: number(count) })}
        columns={columns(t, { whyNot, onRestore: setRestoring })}
        list={stored}
        rowKey={({ id }) => String(id)}
        notHere={t('stored.notHere')}
        empty={
          <EmptyState icon="install" title={t('stored.empty')}>
            <p>{t(isNever ? 'stored.emptyNone' : 'stored.emptyText')}</p>
          </EmptyState>
        }
      />
      {isBackingUp && (
        <BackUpDialog {...{ service, today, running }} onClose={() => setBackingUp(false)} onEnded={onDone} />
      )}
      {restoring && (
        <RestoreDialog
          backup={restoring}
          from={service}
          services={services ?? [service]}
          onClose={() => setRestoring(null)}
          onEnded={onDone}
        />
      )}
    </section>
  )
}
