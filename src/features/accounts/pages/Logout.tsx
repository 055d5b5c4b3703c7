import { useCallback, useEffect, useRef, useState } from 'react'
import { countWaiting } from '#local/outbox/read-entries.ts'
import { readSession } from '#local/session/session.ts'
import { useDispatch, useSession } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { LeaveChoice } from '#features/accounts/components/SignOutChoice.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { logout } from '#features/accounts/slice.ts'

/**
 * 'You are leaving...', then a link back (portal 2). Nothing unsent: it goes by itself. Whoever has no session any more,
 * or an invalid one, is past that already.
 */
export function Logout() {
  const { t } = useTranslation('visitors')
  const dispatch = useDispatch()
  const session = useSession()
  const [chosen, setChosen] = useState<'keep' | 'discard' | null>(null)
  const waiting = useLiveQuery(() => countWaiting(), [])
  const asks = session.kind === 'signed in' && chosen === null && waiting !== undefined && waiting > 0
  const goes = session.kind === 'signed in' && (chosen !== null || waiting === 0)

  // The device is signed out before the server has answered: only then is it known which of the two texts is true.
  const [leaving, setLeaving] = useState<'no' | 'under way' | 'failed'>('no')
  const leave = useCallback(
    async (discard: boolean) => {
      setLeaving('under way')
      setLeaving((await dispatch(logout(discard))) ? 'no' : 'failed')
    },
    [dispatch],
  )
  const gone = useRef(false)
  useEffect(() => {
    if (!goes || gone.current) return
    gone.current = true
    void leave(chosen === 'discard')
  }, [goes, chosen, leave])

  if (leaving === 'failed')
    return (
      <AccountCard title={t('logout.title')}>
        <Note kind="pending">{t('logout.failed')}</Note>
        <Button kind="primary" onClick={() => void leave(chosen === 'discard')}>
          {t('logout.again')}
        </Button>
      </AccountCard>
    )
  if (session.kind === 'signed out' && leaving === 'no') return <Left />
  if (asks) return <LeaveChoice waiting={waiting} onLeave={(discard) => setChosen(discard ? 'discard' : 'keep')} />
  return (
    <AccountCard title={t('logout.title')}>
      <p role="status">{t('logout.leaving')}</p>
      <Skeleton lines={1} />
    </AccountCard>
  )
}

function Left() {
  const { t } = useTranslation('visitors')
  // The mark stands until the server has been told (protocol 29).
  const untold = useLiveQuery(async () => (await readSession())?.signedOut === true, [])
  return (
    <AccountCard title={t('logout.done')}>
      {untold ? <Note kind="pending">{t('logout.offlineText')}</Note> : <p>{t('logout.doneText')}</p>}
      <ButtonLink kind="primary" to="/login">
        {t('logout.back')}
      </ButtonLink>
    </AccountCard>
  )
}
