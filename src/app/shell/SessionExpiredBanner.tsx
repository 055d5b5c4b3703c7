import { useEffect, useState } from 'react'
import { getUser } from '#contract/accounts.ts'
import { hasLapsed, readSession, type Session } from '#local/session/session.ts'
import { isShared } from '#local/session/shared-device.ts'
import { thisDevice } from '#local/storage/device.ts'
import { lapsedChanged } from '#state/connection-slice.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

const lookMs = 1_000
/** So long before its end it is announced. */
const announceMs = 60_000
/** Who has not pressed a key for so long does not type. */
const pauseMs = 5_000

type Phase = 'good' | 'ending' | 'lapsed'

const phaseOf = (session: Session | null | undefined, now: number): Phase => {
  if (!session || session.signedOut || session.until === null) return 'good'
  if (hasLapsed(session, now)) return 'lapsed'
  return session.until - now <= announceMs ? 'ending' : 'good'
}

/**
 * A session that nobody uses ends: that is announced, and put off by a key or by typing itself. Has it run out while nobody could
 * be asked, nobody left: what is here can be read, and what is written is sealed until the next login; on a shared device nothing is
 * written (decision 83).
 */
export function Lapsed() {
  const { t } = useTranslation('shell')
  const dispatch = useDispatch()
  const { line } = useConnection()
  const session = useLiveQuery(() => readSession(), [])
  const { now, isTyping } = useNow()
  const phase = phaseOf(session, now)
  const lapsed = phase === 'lapsed'
  const isSharedDevice = useLiveQuery(() => isShared(thisDevice()), []) === true
  const isReadOnly = lapsed && isSharedDevice
  useEffect(() => void dispatch(lapsedChanged(isReadOnly)), [dispatch, isReadOnly])

  // Any signed request renews the session by now; one that is known no more is told so, and the login page follows from that.
  const ask = () => void dispatch((_dispatch, _state, { api }) => api.call(getUser, {}))
  /** The end that was to be put off. Where it stands after that, it is the last one (K-06). */
  const [asked, setAsked] = useState<number | null>(null)
  const extend = () => {
    setAsked(session?.until ?? null)
    ask()
  }
  const isEnding = phase === 'ending' && line === 'online'
  useEffect(() => {
    if (isEnding && isTyping && asked !== session?.until) extend()
  })
  const isAnnounced = isEnding && !isTyping
  return (
    <div role="status" className={lapsed || isAnnounced ? 'update lapsed' : undefined}>
      {isAnnounced && (
        <>
          <p>
            <Icon name="lock" />
            <span>{t(asked === session?.until ? 'ending.last' : 'ending.text')}</span>
          </p>
          {asked !== session?.until && (
            <Button kind="primary" onClick={extend}>
              {t('ending.extend')}
            </Button>
          )}
        </>
      )}
      {lapsed && (
        <>
          <p>
            <Icon name="lock" />
            <span>
              {t(isReadOnly ? 'lapsed.readOnly' : 'lapsed.text')} {line !== 'online' && t('lapsed.later')}
            </span>
          </p>
          <Button kind="primary" whyNot={line === 'online' ? null : t('lapsed.later')} onClick={ask}>
            {t('lapsed.signIn')}
          </Button>
        </>
      )}
    </div>
  )
}

/** Epoch ms, and whether a key was just pressed in a field. */
function useNow(): { now: number; isTyping: boolean } {
  const [seen, setSeen] = useState(() => ({ now: Date.now(), isTyping: false }))
  useEffect(() => {
    let typedAt = 0
    const note = () => {
      typedAt = Date.now()
      setSeen((was) => (was.isTyping ? was : { ...was, isTyping: true }))
    }
    const look = () => setSeen({ now: Date.now(), isTyping: Date.now() - typedAt < pauseMs })
    document.addEventListener('input', note)
    const timer = setInterval(look, lookMs)
    return () => {
      document.removeEventListener('input', note)
      clearInterval(timer)
    }
  }, [])
  return seen
}
