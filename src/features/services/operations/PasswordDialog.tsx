import { useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { takeServicePassword } from '#contract/services.ts'
import { useAction } from '#state/use-action.ts'
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { dismissJob } from '#features/services/slice.ts'

interface PasswordDialogProps {
  service: { id: number; code: string }
  /** The job that created the password. It is dismissed after the password was displayed, or if the server has no password to display. */
  intent: Intent
  onClose: () => void
}

const isGoneProblem = (problem: Problem | null) => problem?.code === 'NOT_FOUND' || problem?.code === 'GONE'

/** Displays the new password once, when the user presses the button. It is stored nowhere (D43). */
export function PasswordDialog({ service: { id, code }, intent, onClose }: PasswordDialogProps) {
  const { t } = useTranslation('services')
  const dispatch = useDispatch()
  const disabledReason = useUnsendableReason(t('whyNot.offline'))
  const { isBusy, problem, run } = useAction(takeServicePassword)
  const [credentials, setCredentials] = useState<{ user: string; password: string } | null>(null)
  const isGone = isGoneProblem(problem)
  async function handleShow() {
    const result = await run({ params: { id } })
    if (result.kind === 'fresh') setCredentials(result.output)
    if (result.kind === 'fresh' || (result.kind === 'problem' && isGoneProblem(result.problem)))
      await dispatch(dismissJob(intent))
  }
  const isDone = credentials !== null || isGone
  const showButton = !isDone && (
    <Button
      kind="primary"
      icon="seen"
      isBusy={isBusy}
      disabledReason={disabledReason}
      onClick={() => void handleShow()}
    >
      {t('password.show')}
    </Button>
  )
  return (
    <Dialog
      open
      title={t('password.offerTitle', { code })}
      onClose={onClose}
      action={showButton}
      cancel={t(isDone ? 'password.close' : 'password.later')}
    >
      <div className="form">
        <ProblemNote problem={isGone ? null : problem} shouldFocus />
        <div role="status">
          {credentials && <Credentials {...credentials} />}
          {isGone && <p>{t('password.gone')}</p>}
        </div>
        {!isDone && <p>{t('password.offerText')}</p>}
        {!isDone && disabledReason && <p className="field-help">{disabledReason}</p>}
      </div>
    </Dialog>
  )
}

function Credentials({ user, password }: { user: string; password: string }) {
  const { t } = useTranslation('services')
  return (
    <div className="service-password">
      <DescriptionList>
        <DescriptionItem label={t('password.user')}>
          <CopyText text={user} />
        </DescriptionItem>
        <DescriptionItem label={t('password.value')}>
          <CopyText text={password} />
        </DescriptionItem>
      </DescriptionList>
      <p>
        <strong>{t('password.once')}</strong>
      </p>
    </div>
  )
}
