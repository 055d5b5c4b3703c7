import { useEffect, useState } from 'react'
import { getUser } from '#contract/accounts.ts'
import { hasLapsed, readSession } from '#local/session/session.ts'
import { lapsedChanged } from '#state/connection-slice.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

const lookMs = 5_000

/** The session has run out while nobody could be asked: nobody left, so it can be read, and not written to (W-06). */
export function Lapsed() {
  const { t } = useTranslation('shell')
  const dispatch = useDispatch()
  const { line } = useConnection()
  const session = useLiveQuery(() => readSession(), [])
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), lookMs)
    return () => clearInterval(timer)
  }, [])
  const lapsed = session ? hasLapsed(session, now) : false
  useEffect(() => void dispatch(lapsedChanged(lapsed)), [dispatch, lapsed])
  // The server says that it knows the session no more, and the login page follows from that.
  const signIn = () => void dispatch((_dispatch, _state, { api }) => api.call(getUser, {}))
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
