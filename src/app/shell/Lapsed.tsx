import { useEffect, useState } from 'react'
import { getUser } from '#contract/accounts.ts'
import { hasLapsed, readSession } from '#local/session.ts'
import { lapsedChanged } from '#state/connection.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { useLive } from '#state/live.ts'
import { Button } from '#ui/Button.tsx'
import { Icon } from '#ui/Icon.tsx'
import { useWords } from '#ui/words.ts'

const lookMs = 5_000

/** The session has run out while nobody could be asked: nobody left, so it can be read, and not written to (W-06). */
export function Lapsed() {
  const t = useWords('shell')
  const dispatch = useDispatch()
  const { line } = useConnection()
  const session = useLive(() => readSession(), [])
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), lookMs)
    return () => clearInterval(timer)
  }, [])
  const lapsed = session ? hasLapsed(session, now) : false
  useEffect(() => void dispatch(lapsedChanged(lapsed)), [dispatch, lapsed])
  // The server says that it knows the session no more, and the login page follows from that.
  const signIn = () => void dispatch((_dispatch, _state, { api }) => api.ask(getUser, {}))
  return (
    <div role="status" className={lapsed ? 'update lapsed' : undefined}>
      {lapsed && (
        <>
          <p>
            <Icon name="lock" />
            <span>
              {t('lapsed.text')} {line !== 'online' && t('lapsed.later')}
            </span>
          </p>
          <Button kind="primary" whyNot={line === 'online' ? null : t('lapsed.later')} onClick={signIn}>
            {t('lapsed.signIn')}
          </Button>
        </>
      )}
    </div>
  )
}
