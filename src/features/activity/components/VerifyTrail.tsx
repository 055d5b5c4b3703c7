import { isProviderAdmin } from '#domain/access.ts'
import { useDispatch, useSelector, useSignedIn } from '#state/hooks.ts'
import { problemOf } from '#state/status.ts'
import { Button } from '#ui/Button.tsx'
import { ProblemNote } from '#ui/ProblemNote.tsx'
import { useWords } from '#ui/words.ts'
import { selectActivity, verify } from '#features/activity/slice.ts'

/** For those who review the trail (Z-28). Others are not shown what they would be refused. */
export function VerifyTrail({ kind = 'quiet' }: { kind?: 'primary' | 'quiet' }) {
  const t = useWords('activity')
  const { caller } = useSignedIn()
  const { verify: status } = useSelector(selectActivity)
  const dispatch = useDispatch()
  if (!isProviderAdmin(caller)) return null
  return (
    <Button kind={kind} icon="trail" busy={status.is === 'sending'} onClick={() => void dispatch(verify())}>
      {t('verify.act')}
    </Button>
  )
}

/** Why it could not be begun. */
export function VerifyProblem() {
  const { verify: status } = useSelector(selectActivity)
  return <ProblemNote problem={problemOf(status)} focus />
}
