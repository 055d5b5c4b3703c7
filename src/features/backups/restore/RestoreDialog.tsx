import { useState } from 'react'
import type { StoredBackupRow } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { BlockedChoices } from '#features/backups/BlockedChoices.tsx'
import { choicesOf } from '#features/backups/restore/choices.ts'
import { useOperate } from '#features/backups/useOperate.ts'

interface Props {
  backup: StoredBackupRow
  from: ServiceRow
  services: readonly ServiceRow[]
  onClose: () => void
  onEnded: () => void
}

/** Which service takes a backup in, and what is lost there; its code is typed before anything is overwritten (M52). */
export function RestoreDialog({ backup, from, services, onClose, onEnded }: Props) {
  const { t } = useTranslation('backups')
  const [wanted, setWanted] = useState(from.id)
  const choices = choicesOf(backup, from, services)
  const open = choices.filter(({ whyNot }) => whyNot === null).map(({ service }) => service)
  const into = open.find(({ id }) => id === wanted) ?? open[0] ?? null
  const time = backup.start_time
  const code = into?.code ?? ''
  const { busy, problem, run } = useOperate({
    done: t('restore.done', { code, time }),
    failed: (why) => t('restore.failed', { code, why }),
    onStarted: onClose,
    onEnded,
  })
  const chooser = (
    <BlockedChoices
      label={t('restore.into')}
      name="restore-into"
      choices={choices.map(({ service: { id, code: one, name }, whyNot }) => ({
        value: id,
        label: id === from.id ? t('restore.own', { code: one, name }) : t('restore.other', { code: one, name }),
        whyNot: whyNot && t(`restore.whyNot.${whyNot}`),
      }))}
      chosen={into?.id ?? null}
      onChoose={setWanted}
    />
  )
  const title = t('restore.title', { time })
  if (!into)
    return (
      <Dialog open title={title} onClose={onClose}>
        <div className="form">
          <p>{t('restore.nowhere')}</p>
          {chooser}
        </div>
      </Dialog>
    )
  return (
    <TypedConfirmation
      open
      title={title}
      value={into.code}
      label={t('restore.label')}
      action={t('restore.confirm')}
      busy={busy}
      problem={problem}
      onConfirm={() => run({ kind: 'restore', backup: backup.id, into: into.id })}
      onClose={onClose}
    >
      {chooser}
      <p>
        <strong>{t('restore.loss', { code: into.code, name: into.name, from: from.code, time })}</strong>
      </p>
      {into.id !== from.id && <p>{t('restore.lossOther')}</p>}
    </TypedConfirmation>
  )
}
