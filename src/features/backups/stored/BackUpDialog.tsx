import { useState } from 'react'
import { type BackupType, backupTypes } from '#contract/backups.ts'
import type { Problem } from '#contract/problem.ts'
import type { ServiceRow } from '#contract/services.ts'
import { type BackupRefusal, whyNotBackedUp } from '#domain/backups.ts'
import type { PlainDate } from '#domain/time.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { BlockedChoices } from '#features/backups/BlockedChoices.tsx'
import { useOperate } from '#features/backups/useOperate.ts'
import { useWhyOffline } from '#features/backups/useWhyOffline.ts'

interface Props {
  service: ServiceRow
  today: PlainDate
  /** Of these one runs now. */
  running: readonly BackupType[]
  onClose: () => void
  onEnded: () => void
}

/** A backup now, of a kind that is subscribed, with how long it takes (M130). */
export function BackUpDialog({ service, today, running, onClose, onEnded }: Props) {
  const { t } = useTranslation('backups')
  const { id, code } = service
  const offline = useWhyOffline()
  const { busy, problem, run } = useOperate({
    done: t('backUp.done', { code }),
    failed: (why) => t('backUp.failed', { code, why }),
    onStarted: onClose,
    onEnded,
  })
  const choices = backupTypes.map((type) => {
    const why = whyNotBackedUp(type, service, today) ?? (running.includes(type) ? 'running' : null)
    return { value: type, label: t(`type.${type}`), whyNot: why && t(`backUp.whyNot.${why}`) }
  })
  const [wanted, setWanted] = useState<BackupType | null>(null)
  const chosen =
    choices.find(({ value, whyNot }) => value === wanted && !whyNot) ?? choices.find(({ whyNot }) => !whyNot)
  const refusal = problem && refusalOf(problem)
  const act = (
    <Button
      kind="primary"
      busy={busy}
      whyNot={chosen ? offline : t('backUp.nothing')}
      onClick={() => chosen && run({ kind: 'backUp', service: id, type: chosen.value })}
    >
      {t('backUp.act')}
    </Button>
  )
  return (
    <Dialog open title={t('backUp.title', { code })} onClose={onClose} act={act}>
      <div className="form">
        <ProblemNote problem={problem} title={t('backUp.refused')} focus>
          {refusal && <p>{t(`backUp.whyNot.${refusal}`)}</p>}
        </ProblemNote>
        <p>{t('backUp.text')}</p>
        <BlockedChoices
          label={t('backUp.type')}
          name="backup-type"
          choices={choices}
          chosen={chosen?.value ?? null}
          onChoose={(value) => setWanted(backupTypes.find((type) => type === value) ?? null)}
        />
        {chosen?.value === 'pdb2s3' && <p className="field-help">{t('backUp.traffic')}</p>}
      </div>
    </Dialog>
  )
}

const refusals = ['not_subscribed', 'expired', 'traffic_disabled', 'not_created'] as const satisfies BackupRefusal[]

/** What the server says against it, where it says that: it may be newer than what stands here. */
function refusalOf({ data }: Problem): BackupRefusal | null {
  const said = (data as { why?: string } | null)?.why
  return refusals.find((one) => one === said) ?? null
}
