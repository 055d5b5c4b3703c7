import { isProviderAdmin } from '#domain/access.ts'
import { useDispatch, useSelector, useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { selectActivity, startVerification } from '#features/activity/slice.ts'

/** For those who review the trail (Z-28). Others are not shown what they would be refused. */
export function VerifyAuditTrail({ kind = 'quiet' }: { kind?: 'primary' | 'quiet' }) {
  const { t } = useTranslation('activity')
  const { caller } = useSignedInSession()
  const { isVerifying } = useSelector(selectActivity)
  const dispatch = useDispatch()
  if (!isProviderAdmin(caller)) return null
  return (
    <Button kind={kind} icon="trail" isBusy={isVerifying} onClick={() => void dispatch(startVerification())}>
      {t('verify.act')}
    </Button>
  )
}

/** Why what was last pressed could not be done; pressed again it is tried again. */
export function ActivityProblem() {
  const { problem } = useSelector(selectActivity)
  return <ProblemNote problem={problem} shouldFocus />
}
