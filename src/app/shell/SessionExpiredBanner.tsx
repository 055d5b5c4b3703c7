import { useEffect, useState } from 'react'
import { getUser } from '#contract/accounts.ts'
import { hasSessionExpired, readSession, type Session } from '#local/session/session.ts'
import { isShared } from '#local/session/shared-device.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { sessionExpiredChanged } from '#state/connection-slice.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

const updateIntervalMs = 1_000
/** How long before its end the session's end is announced, in ms. */
const announceMs = 60_000
/** Time without input after which the user is not typing, in ms. */
const typingPauseMs = 5_000

type SessionPhase = 'good' | 'ending' | 'expired'

const getPhase = (session: Session | null | undefined, now: number): SessionPhase => {
  if (!session || session.signedOut || session.until === null) return 'good'
  if (hasSessionExpired(session, now)) return 'expired'
  return session.until - now <= announceMs ? 'ending' : 'good'
}

/**
 * Announces the end of an unused session, which a button or typing extends. It also shows that a session has expired. The user can then
 * still read cached data, and writes are sealed until the next login. On a shared device nothing can be written then (decision 83).
 */
export function SessionExpiredBanner() {
  const dispatch = useDispatch()
  const { networkState } = useConnection()
  const session = useLiveQuery(() => readSession(), [])
  const { now, isTyping } = useNow()
  const phase = getPhase(session, now)
  const isExpired = phase === 'expired'
  const isSharedDevice = useLiveQuery(() => isShared(getThisDevice()), []) === true
  const isReadOnly = isExpired && isSharedDevice
  useEffect(() => void dispatch(sessionExpiredChanged(isReadOnly)), [dispatch, isReadOnly])

  // Any request with the session's token renews the session. If the session has ended, the server refuses it and the login page follows.
  const renewSession = () => void dispatch((_dispatch, _state, { api }) => api.call(getUser, {}))
  /** End that was to be extended. If it is still the same after that, the session cannot be extended again (K-06). */
  const [extendedUntil, setExtendedUntil] = useState<number | null>(null)
  const extend = () => {
    setExtendedUntil(session?.until ?? null)
    renewSession()
  }
  const isExtended = extendedUntil === session?.until
  const isEnding = phase === 'ending' && networkState === 'online'
  useEffect(() => {
    if (isEnding && isTyping && !isExtended) extend()
  })
  const isAnnounced = isEnding && !isTyping
  return (
    <div role="status" className={isExpired || isAnnounced ? 'update lapsed' : undefined}>
      {isAnnounced && <EndingNote isLast={isExtended} onExtend={extend} />}
      {isExpired && (
        <ExpiredNote isReadOnly={isReadOnly} isOnline={networkState === 'online'} onSignIn={renewSession} />
      )}
    </div>
  )
}

function EndingNote({ isLast, onExtend }: { isLast: boolean; onExtend: () => void }) {
  const { t } = useTranslation('shell')
  return (
    <>
      <p>
        <Icon name="lock" />
        <span>{t(isLast ? 'ending.last' : 'ending.text')}</span>
      </p>
      {!isLast && (
        <Button kind="primary" onClick={onExtend}>
          {t('ending.extend')}
        </Button>
      )}
    </>
  )
}

interface ExpiredNoteProps {
  isReadOnly: boolean
  isOnline: boolean
  onSignIn: () => void
}

function ExpiredNote({ isReadOnly, isOnline, onSignIn }: ExpiredNoteProps) {
  const { t } = useTranslation('shell')
  const offlineText = isOnline ? null : t('lapsed.later')
  return (
    <>
      <p>
        <Icon name="lock" />
        <span>
          {t(isReadOnly ? 'lapsed.readOnly' : 'lapsed.text')} {offlineText}
        </span>
      </p>
      <Button kind="primary" disabledReason={offlineText} onClick={onSignIn}>
        {t('lapsed.signIn')}
      </Button>
    </>
  )
}

/** Returns the current time in epoch ms, and whether the user typed in a field within `typingPauseMs`. */
function useNow(): { now: number; isTyping: boolean } {
  const [clockState, setClockState] = useState(() => ({ now: Date.now(), isTyping: false }))
  useEffect(() => {
    let typedAt = 0
    const noteInput = () => {
      typedAt = Date.now()
      setClockState((previous) => (previous.isTyping ? previous : { ...previous, isTyping: true }))
    }
    const updateClock = () => setClockState({ now: Date.now(), isTyping: Date.now() - typedAt < typingPauseMs })
    document.addEventListener('input', noteInput)
    const timer = setInterval(updateClock, updateIntervalMs)
    return () => {
      document.removeEventListener('input', noteInput)
      clearInterval(timer)
    }
  }, [])
  return clockState
}
