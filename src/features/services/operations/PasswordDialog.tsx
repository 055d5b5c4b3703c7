import { useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { type AppThunk } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { useOfflineReason } from '#features/services/useOfflineReason.ts'
import { takePassword } from '#features/services/slice.ts'

interface PasswordDialogProps {
  service: { id: number; code: string }
  /** The long request that made it: nothing is offered of it once the password was shown, or is gone. */
  intent: Intent
  onClose: () => void
}

const dismissJob =
  (intent: Intent): AppThunk =>
  (_dispatch, _getState, { jobActions: jobs }) =>
    jobs.dismiss(intent)

/** What the server says where there is none any more. */
const goneCodes = ['NOT_FOUND', 'GONE']

/** The password that a creation or a reset has made: asked for by a press, shown once, kept nowhere (D43). */
export function PasswordDialog({ service: { id, code }, intent, onClose }: PasswordDialogProps) {
  const { t } = useTranslation('services')
  const dispatch = useDispatch()
  const disabledReason = useOfflineReason()
  const [isBusy, setIsBusy] = useState(false)
  const [credentials, setCredentials] = useState<{ user: string; password: string } | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isGone, setGone] = useState(false)
  async function handleShow() {
    setIsBusy(true)
    setProblem(null)
    const result = await dispatch(takePassword(id))
    setIsBusy(false)
    const isUnavailable = result.kind === 'problem' && goneCodes.includes(result.problem.code)
    if (result.kind === 'fresh') setCredentials(result.output)
    else if (isUnavailable) setGone(true)
    else if (result.kind === 'problem') setProblem(result.problem)
    if (isUnavailable || result.kind === 'fresh') await dispatch(dismissJob(intent))
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
        <ProblemNote problem={problem} shouldFocus />
        <div role="status">
          {credentials && (
            <div className="service-password">
              <DescriptionList>
                <DescriptionItem label={t('password.user')}>
                  <CopyText text={credentials.user} />
                </DescriptionItem>
                <DescriptionItem label={t('password.value')}>
                  <CopyText text={credentials.password} />
                </DescriptionItem>
              </DescriptionList>
              <p>
                <strong>{t('password.once')}</strong>
              </p>
            </div>
          )}
          {isGone && <p>{t('password.gone')}</p>}
        </div>
        {!isDone && <p>{t('password.offerText')}</p>}
        {!isDone && disabledReason && <p className="field-help">{disabledReason}</p>}
      </div>
    </Dialog>
  )
}
