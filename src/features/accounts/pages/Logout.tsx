import { useCallback, useEffect, useRef, useState } from 'react'
import { countWaiting } from '#local/outbox/read-entries.ts'
import { readSession } from '#local/session/session.ts'
import { useDispatch, useSession } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { SignOutChoice } from '#features/accounts/components/SignOutChoice.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { logout } from '#features/accounts/slice.ts'

/**
 * Shows 'You are leaving...', then a link back (portal 2). Signs out without a question if nothing is unsent. Without a session, the link
 * back is shown immediately.
 */
export function Logout() {
  const { t } = useTranslation('visitors')
  const dispatch = useDispatch()
  const session = useSession()
  const [choice, setChoice] = useState<'keep' | 'discard' | null>(null)
  const waitingCount = useLiveQuery(() => countWaiting(), [])
  const shouldAsk = session.kind === 'signed in' && choice === null && waitingCount !== undefined && waitingCount > 0
  const shouldLeave = session.kind === 'signed in' && (choice !== null || waitingCount === 0)

  // The session on this device ends before the server has responded. The final text depends on the response, so it is shown only after it.
  const [leaveState, setLeaveState] = useState<'no' | 'under way' | 'failed'>('no')
  const leave = useCallback(
    async (shouldDiscard: boolean) => {
      setLeaveState('under way')
      setLeaveState((await dispatch(logout(shouldDiscard))) ? 'no' : 'failed')
    },
    [dispatch],
  )
  const hasLeft = useRef(false)
  useEffect(() => {
    if (!shouldLeave || hasLeft.current) return
    hasLeft.current = true
    void leave(choice === 'discard')
  }, [shouldLeave, choice, leave])

  if (leaveState === 'failed')
    return (
      <AccountCard title={t('logout.title')}>
        <Note kind="pending">{t('logout.failed')}</Note>
        <Button kind="primary" onClick={() => void leave(choice === 'discard')}>
          {t('logout.again')}
        </Button>
      </AccountCard>
    )
  if (session.kind === 'signed out' && leaveState === 'no') return <SignedOutNote />
  if (shouldAsk)
    return (
      <SignOutChoice
        waitingCount={waitingCount}
        onLeave={(shouldDiscard) => setChoice(shouldDiscard ? 'discard' : 'keep')}
      />
    )
  return (
    <AccountCard title={t('logout.title')}>
      <p role="status">{t('logout.leaving')}</p>
      <Skeleton lines={1} />
    </AccountCard>
  )
}

function SignedOutNote() {
  const { t } = useTranslation('visitors')
  // The flag stays set until the server has confirmed the sign-out (protocol 29).
  const isServerUnaware = useLiveQuery(async () => (await readSession())?.signedOut === true, [])
  return (
    <AccountCard title={t('logout.done')}>
      {isServerUnaware ? <Note kind="pending">{t('logout.offlineText')}</Note> : <p>{t('logout.doneText')}</p>}
      <ButtonLink kind="primary" to="/login">
        {t('logout.back')}
      </ButtonLink>
    </AccountCard>
  )
}
