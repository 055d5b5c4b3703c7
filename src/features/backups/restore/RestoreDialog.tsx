import { useState } from 'react'
import { restoreBackup, type StoredBackupRow } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { BlockedChoices } from '#features/backups/BlockedChoices.tsx'
import { listRestoreChoices } from '#features/backups/restore/restore-choices.ts'
import { useBackupOperation } from '#features/backups/useBackupOperation.ts'

interface RestoreDialogProps {
  backup: StoredBackupRow
  sourceService: ServiceRow
  services: readonly ServiceRow[]
  onClose: () => void
  onEnded: () => void
}

/** Selects the target, and shows what is lost. The user confirms by typing the code of the service that is overwritten (M52). */
export function RestoreDialog({ backup, sourceService, services, onClose, onEnded }: RestoreDialogProps) {
  const { t } = useTranslation('backups')
  const [selectedId, setSelectedId] = useState(sourceService.id)
  const choices = listRestoreChoices(backup, sourceService, services)
  const allowedServices = choices.filter(({ refusal }) => refusal === null).map(({ service }) => service)
  const target = allowedServices.find(({ id }) => id === selectedId) ?? allowedServices[0] ?? null
  const time = backup.start_time
  const code = target?.code ?? ''
  const { isBusy, problem, run } = useBackupOperation(restoreBackup, {
    doneText: t('restore.done', { code, time }),
    formatFailure: (reason) => t('restore.failed', { code, reason }),
    onStarted: onClose,
    onEnded,
  })
  const serviceChoices = (
    <BlockedChoices
      label={t('restore.into')}
      name="restore-into"
      choices={choices.map(({ service: { id, code: serviceCode, name }, refusal }) => ({
        value: id,
        label:
          id === sourceService.id
            ? t('restore.own', { code: serviceCode, name })
            : t('restore.other', { code: serviceCode, name }),
        disabledReason: refusal && t(`restore.whyNot.${refusal}`),
      }))}
      selectedValue={target?.id ?? null}
      onSelect={setSelectedId}
    />
  )
  const title = t('restore.title', { time })
  if (!target)
    return (
      <Dialog open title={title} onClose={onClose}>
        <div className="form">
          <p>{t('restore.nowhere')}</p>
          {serviceChoices}
        </div>
      </Dialog>
    )
  return (
    <TypedConfirmation
      open
      title={title}
      value={target.code}
      label={t('restore.label')}
      actionLabel={t('restore.confirm')}
      isBusy={isBusy}
      problem={problem}
      onConfirm={() => void run({ body: { backup_id: backup.id, service_id: target.id } })}
      onClose={onClose}
    >
      {serviceChoices}
      <p>
        <strong>{t('restore.loss', { code: target.code, name: target.name, from: sourceService.code, time })}</strong>
      </p>
      {target.id !== sourceService.id && <p>{t('restore.lossOther')}</p>}
    </TypedConfirmation>
  )
}
