import { useState } from 'react'
import { backUp, type PdbType, backupTypes } from '#contract/backups.ts'
import { findRefusalReason } from '#contract/problem.ts'
import type { ServiceRow } from '#contract/services.ts'
import { type BackupRefusal, getBackupRefusal } from '#domain/backups.ts'
import type { PlainDate } from '#domain/time.ts'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { BlockedChoices } from '#features/backups/BlockedChoices.tsx'
import { useBackupOperation } from '#features/backups/useBackupOperation.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'

interface BackUpDialogProps {
  service: ServiceRow
  today: PlainDate
  runningTypes: readonly PdbType[]
  onClose: () => void
  onEnded: () => void
}

/** Starts a backup of a subscribed type (M130). */
export function BackUpDialog({ service, today, runningTypes, onClose, onEnded }: BackUpDialogProps) {
  const { t } = useTranslation('backups')
  const { id, code } = service
  const offlineReason = useUnsendableReason(t('needsLine'))
  const { isBusy, problem, run } = useBackupOperation(backUp, {
    doneText: t('backUp.done', { code }),
    formatFailure: (reason) => t('backUp.failed', { code, reason }),
    onStarted: onClose,
    onEnded,
  })
  const choices = backupTypes.map((type) => {
    const refusal = getBackupRefusal(type, service, today) ?? (runningTypes.includes(type) ? 'running' : null)
    return { value: type, label: t(`type.${type}`), disabledReason: refusal && t(`backUp.whyNot.${refusal}`) }
  })
  const [selectedType, setSelectedType] = useState<PdbType | null>(null)
  const selectedChoice =
    choices.find(({ value, disabledReason }) => value === selectedType && !disabledReason) ??
    choices.find(({ disabledReason }) => !disabledReason)
  // The server may refuse a type that this dialog offers, because the device's rows may be out of date.
  const serverRefusal = findRefusalReason(problem, knownRefusals)
  return (
    <ActionDialog
      title={t('backUp.title', { code })}
      onClose={onClose}
      actionLabel={t('backUp.act')}
      isBusy={isBusy}
      disabledReason={selectedChoice ? offlineReason : t('backUp.nothing')}
      onAction={() => selectedChoice && void run({ body: { service_id: id, pdb_type: selectedChoice.value } })}
    >
      <ProblemNote problem={problem} title={t('backUp.refused')} shouldFocus>
        {serverRefusal && <p>{t(`backUp.whyNot.${serverRefusal}`)}</p>}
      </ProblemNote>
      <p>{t('backUp.text')}</p>
      <BlockedChoices
        label={t('backUp.type')}
        name="backup-type"
        choices={choices}
        selectedValue={selectedChoice?.value ?? null}
        onSelect={setSelectedType}
      />
      {selectedChoice?.value === 'pdb2s3' && <p className="field-help">{t('backUp.traffic')}</p>}
    </ActionDialog>
  )
}

const knownRefusals = [
  'not_subscribed',
  'expired',
  'traffic_disabled',
  'not_created',
] as const satisfies BackupRefusal[]
