import { useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { type AppThunk } from '#state/app-thunk.ts'
import { useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Fact, Facts } from '#ui/display/DescriptionList.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { useWhyOffline } from '#features/services/useWhyOffline.ts'
import { takePassword } from '#features/services/slice.ts'

interface Props {
  service: { id: number; code: string }
  /** The long request that made it: nothing is offered of it once the password was shown, or is gone. */
  intent: Intent
  onClose: () => void
}

const forget =
  (intent: Intent): AppThunk =>
  (_dispatch, _getState, { jobs }) =>
    jobs.dismiss(intent)

/** What the server says where there is none any more. */
const goneCodes = ['NOT_FOUND', 'GONE']

/** The password that a creation or a reset has made: asked for by a press, shown once, kept nowhere (D43). */
export function PasswordDialog({ service: { id, code }, intent, onClose }: Props) {
  const { t } = useTranslation('services')
  const dispatch = useDispatch()
  const whyNot = useWhyOffline()
  const [busy, setBusy] = useState(false)
  const [shown, setShown] = useState<{ user: string; password: string } | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isGone, setGone] = useState(false)
  async function show() {
    setBusy(true)
    setProblem(null)
    const result = await dispatch(takePassword(id))
    setBusy(false)
    const isOver = result.kind === 'problem' && goneCodes.includes(result.problem.code)
    if (result.kind === 'fresh') setShown(result.output)
    else if (isOver) setGone(true)
    else if (result.kind === 'problem') setProblem(result.problem)
    if (isOver || result.kind === 'fresh') await dispatch(forget(intent))
  }
  const isDone = shown !== null || isGone
  const act = !isDone && (
    <Button kind="primary" icon="seen" busy={busy} whyNot={whyNot} onClick={() => void show()}>
      {t('password.show')}
    </Button>
  )
  return (
    <Dialog
      open
      title={t('password.offerTitle', { code })}
      onClose={onClose}
      act={act}
      cancel={t(isDone ? 'password.close' : 'password.later')}
    >
      <div className="form">
        <ProblemNote problem={problem} focus />
        <div role="status">
          {shown && (
            <div className="service-password">
              <Facts>
                <Fact label={t('password.user')}>
                  <CopyText text={shown.user} />
                </Fact>
                <Fact label={t('password.value')}>
                  <CopyText text={shown.password} />
                </Fact>
              </Facts>
              <p>
                <strong>{t('password.once')}</strong>
              </p>
            </div>
          )}
          {isGone && <p>{t('password.gone')}</p>}
        </div>
        {!isDone && <p>{t('password.offerText')}</p>}
        {!isDone && whyNot && <p className="field-help">{whyNot}</p>}
      </div>
    </Dialog>
  )
}
